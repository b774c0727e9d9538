import Dispatch
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct ServiceNotifierTests {
    @Test func isNilWithoutUsableSocket() {
        #expect(ServiceNotifier(environment: [:]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "relative"]) == nil)
        #expect(ServiceNotifier(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 108)]) == nil)
    }

    @Test(arguments: [true, false]) func sendsNotifications(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        let name = isAbstract ? "@\(directory("notify"))" : directory("notify")
        let receiver = try DatagramReceiver(at: name)
        let notifier = try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": name]))
        notifier.tell(.ready, .status("One\nsentence."))
        notifier.tell(.reloading(since: DispatchTime(uptimeNanoseconds: 42_999)))
        notifier.tell(.watchdog)
        notifier.tell(.busy(for: .seconds(120)), .watchdog)
        notifier.tell(.stopping)
        #expect(
            receiver.datagrams.map { String(decoding: $0, as: UTF8.self) } == [
                "READY=1\nSTATUS=One sentence.", "RELOADING=1\nMONOTONIC_USEC=42", "WATCHDOG=1",
                "EXTEND_TIMEOUT_USEC=120000000\nWATCHDOG=1", "STOPPING=1",
            ])
    }

    @Test func ignoresMissingServiceManager() throws {
        let directory = try TemporaryDirectory()
        try #require(ServiceNotifier(environment: ["NOTIFY_SOCKET": directory("nobody")])).tell(.ready)
    }
}
