import ControlAPI
import Logging
import ServiceLifecycle
import TestSupport
import Testing

@testable import ControlServer

@Suite struct ArrivalsTests {
    @Test func cancelledReaderStillGetsArrivals() async {
        let arrivals = Arrivals<Int>()
        for _ in 1...3 { #expect(arrivals.announce()) }
        arrivals.arrived(1)
        let reading = Task {
            var read: [Int] = []
            while let number = await arrivals.next() { read.append(number) }
            return read
        }
        reading.cancel()
        arrivals.arrived(2)
        arrivals.close()
        // Announced arrivals still come after `close()`.
        #expect(!arrivals.announce())
        arrivals.arrived(3)
        #expect(await reading.value == [1, 2, 3])
    }

    @Test func endsAfterAnnouncedArrivalFails() async {
        let arrivals = Arrivals<Int>()
        #expect(arrivals.announce())
        arrivals.close()
        arrivals.arrived(nil)
        #expect(await arrivals.next() == nil)
    }

    /// For example, the store fails while clients connect. An unconsumed NIOAsyncChannel would crash the process.
    @Test func cancelledServerEndsWhileClientsConnect() async throws {
        let log = Logger.silent
        for round in 0..<20 {
            let directory = try TemporaryDirectory()
            let socket = try UnixSocket(path: directory("homing.sock"), mode: 0o660)
            defer { socket.close() }
            let server = ControlServer(socket: socket, service: FakeService().service, log: log)
            let serving = Task { try await server.run() }
            var clients: [RawConnection] = []
            for _ in 0..<40 { clients.append(try RawConnection(socket.path)) }
            if round % 2 == 0 { _ = try await ControlClient(socketPath: socket.path).call(Endpoints.status, NoInput()) }
            serving.cancel()
            // The server ends with a CancellationError.
            _ = await serving.result
        }
    }
}
