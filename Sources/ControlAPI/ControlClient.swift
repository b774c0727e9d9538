import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The client of the daemon, over the Unix socket at `socketPath`. Every error is a `Problem`; without a listener its code is
/// `daemon-not-running`.
public struct ControlClient: Sendable {
    public let socketPath: String
    /// Response timeout; nil for the endpoint's `patience`.
    public let timeout: Duration?
    /// Nil if no service manager starts this daemon.
    private let serviceState: (@Sendable () async -> ServiceState?)?

    public init(socketPath: String, timeout: Duration? = nil) {
        let isService = socketPath == SocketLocation.system && SocketLocation.isServiceInstalled
        self.socketPath = socketPath
        self.timeout = timeout
        serviceState = isService ? ServiceState.current : nil
    }

    package init(socketPath: String, timeout: Duration? = nil, serviceState: @escaping @Sendable () async -> ServiceState?) {
        self.socketPath = socketPath
        self.timeout = timeout
        self.serviceState = serviceState
    }

    // `HTTPClient.shared` would retry a refused connection for the whole timeout.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        // Captures leave over this socket alone.
        configuration.redirectConfiguration = .disallow
        return HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }()

    public func call<Request, Response>(_ endpoint: Endpoint<Request, Response>, _ request: Request) async throws(Problem) -> Response {
        let (status, body) = try await exchange(endpoint, request)
        guard (200..<300).contains(status) else { throw Self.problem(in: body, status: status) }
        do {
            return try JSONCoding.decoder.decode(Response.self, from: body)
        } catch {
            throw Problem(
                .internalError, status: status, title: "Unexpected answer from the daemon",
                detail: "This program does not understand the answer to \(endpoint.method.rawValue) \(endpoint.path).",
                next: "Install the same version of homing and homingd.")
        }
    }

    /// Passes events to `each` until it returns false or the daemon ends the stream.
    ///
    /// - Parameter beat: called whenever something arrives. A quiet stream has a heartbeat every 5 seconds.
    public func events(_ query: EventQuery, _ each: (Event) async throws -> Bool, beat: () -> Void = {}) async throws {
        var buffer = Data()
        let response = try await execute(Endpoints.events, query)
        guard response.status.code == 200 else { throw try await Self.problem(of: response) }
        for try await part in response.body {
            beat()
            buffer.append(contentsOf: part.readableBytesView)
            while let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = buffer[buffer.startIndex..<end]
                buffer = Data(buffer[buffer.index(after: end)...])
                if line.isEmpty { continue }
                guard try await each(try JSONCoding.decoder.decode(Event.self, from: line)) else { return }
            }
        }
    }

    /// Passes the body of the response to `each`, part by part. Throws if it breaks off.
    package func download<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request, _ each: (Data) throws -> Void
    ) async throws {
        let response = try await execute(endpoint, request)
        guard response.status.code == 200 else { throw try await Self.problem(of: response) }
        do {
            var left = response.headers.first(name: "content-length").flatMap { Int($0) } ?? 0
            for try await part in response.body {
                try each(Data(part.readableBytesView))
                left -= part.readableBytes
            }
            if left > 0 { throw HTTPClientError.remoteConnectionClosed }
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Problem(
                .daemonNotRunning, status: 503, title: "Connection lost",
                detail: "The connection to the daemon at \(socketPath) ended before the whole file had arrived (\(error)).",
                next: "Nothing was written. Repeat the command. If this repeats, see the daemon’s log.")
        }
    }

    private func exchange<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request
    ) async throws(Problem) -> (Int, Data) {
        do {
            // The limits of the HTTP client begin anew with each byte.
            return try await Self.within(timeout.map { $0 + .seconds(1) } ?? endpoint.patience + Self.patienceToConnect) {
                let response = try await execute(endpoint, request)
                let body = try await response.body.collect(upTo: Self.largestAnswer)
                return (Int(response.status.code), Data(body.readableBytesView))
            }
        } catch {
            throw Self.problem(for: error, socketPath)
        }
    }

    /// Throws `deadlineExceeded` if `work` takes longer than `limit`.
    private static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw HTTPClientError.deadlineExceeded }
            return value
        }
    }

    /// In bytes: an exported payload, with an escape for each character.
    private static let largestAnswer = 66 << 20

    private func execute<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ request: Request
    ) async throws(Problem) -> HTTPClientResponse {
        guard SocketLocation.fits(socketPath) else {
            throw .invalid(
                "The socket path is longer than \(SocketLocation.longest) bytes, the limit of the system: \(socketPath)",
                next: "Name a shorter one with --socket.")
        }
        // The daemon checks too, but a client still sending might not read its answer.
        if let body = request.body, body.count > endpoint.largestBody { throw .tooLarge(endpoint.largestBody) }
        let url = url(endpoint, request)
        // The daemon's HTTP library answers a far longer one without a reason.
        if url.utf8.count > Self.longestURL { throw Self.tooLong(request.parameters) }
        do {
            var outbound = HTTPClientRequest(url: url)
            outbound.method = .RAW(value: endpoint.method.rawValue)
            outbound.headers.add(name: "host", value: "homing")
            // A stopping daemon may close a kept connection just as the next request goes out.
            outbound.headers.add(name: "connection", value: "close")
            if let body = request.body {
                outbound.headers.add(name: "content-type", value: "application/json")
                outbound.body = .bytes(ByteBuffer(bytes: body))
            }
            return try await connected(outbound, within: timeout ?? endpoint.patience)
        } catch {
            throw Self.problem(for: error, socketPath)
        }
    }

    /// In bytes: what the daemon takes for target and headers, and room for the path of the socket.
    private static let longestURL = (16 << 10) + 512

    private static func tooLong(_ parameters: [String: String]) -> Problem {
        let longest = parameters.values.map(\.count).max() ?? 0
        return Problem(
            .tooLarge, status: 431, title: "Too large",
            detail: "The arguments are too long: the longest has \(Words.number(longest)) characters, and all together may have 16 KiB.",
            next: "Give shorter ones. A payload belongs into a file, which may have up to 32 MiB.")
    }

    /// Reconnects for `timeout` or some seconds while the socket's backlog is full. If the connection breaks, as in a slow reload, repeats
    /// a GET once.
    private func connected(_ request: HTTPClientRequest, within patience: Duration) async throws -> HTTPClientResponse {
        let end = ContinuousClock.now + (timeout ?? Self.patienceToConnect)
        var pause = Duration.milliseconds(10)
        var isRepeatable = request.method == .GET
        while true {
            do {
                return try await answered(request, within: patience)
            } catch let error as IOError where error.errnoCode == EAGAIN && ContinuousClock.now + pause < end {
                try await Task.sleep(for: pause * Double.random(in: 0.5...1))
                // Short, because the client that tries most often gets the next place.
                pause = min(pause * 2, Duration.milliseconds(50))
            } catch {
                guard isRepeatable, Self.isCutOff(error) else { throw error }
                isRepeatable = false
            }
        }
    }

    private static let patienceToConnect = Duration.seconds(5)

    /// Fails early if the service manager reports that the daemon does not run.
    private func answered(_ request: HTTPClientRequest, within patience: Duration) async throws -> HTTPClientResponse {
        try await withThrowingTaskGroup(of: HTTPClientResponse.self) { group in
            group.addTask { try await Self.http.execute(request, timeout: .seconds(patience.components.seconds)) }
            if let serviceState {
                group.addTask {
                    while true {
                        try await Task.sleep(for: Self.patienceWithService)
                        if let problem = await serviceState()?.problem { throw problem }
                    }
                }
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static let patienceWithService = Duration.seconds(1)

    private func url<Request, Response>(_ endpoint: Endpoint<Request, Response>, _ request: Request) -> String {
        var path = endpoint.path
        var query: [URLQueryItem] = []
        for (name, value) in request.parameters.sorted(by: { $0.key < $1.key }) {
            let placeholder = "{\(name)}"
            if path.contains(placeholder) {
                path = path.replacingOccurrences(of: placeholder, with: Self.escaped(value))
            } else {
                query.append(URLQueryItem(name: name, value: value))
            }
        }
        let suffix = query.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value ?? ""))" }.joined(separator: "&")
        return "http+unix://\(Self.escaped(socketPath))\(path)\(suffix.isEmpty ? "" : "?\(suffix)")"
    }

    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    private static func problem(of response: HTTPClientResponse) async throws -> Problem {
        let body = try await response.body.collect(upTo: 1 << 20)
        return problem(in: Data(body.readableBytesView), status: Int(response.status.code))
    }

    private static func problem(in body: Data, status: Int) -> Problem {
        // `try?`: without a problem document, the status alone is reported.
        (try? JSONCoding.decoder.decode(Problem.self, from: body))
            ?? Problem(
                .internalError, status: status, title: "The daemon failed", detail: "The daemon answered with status \(status).",
                next: "Look at the daemon's log: journalctl -u homingd.")
    }

    private static func problem(for error: any Error, _ socketPath: String) -> Problem {
        if let problem = error as? Problem { return problem }
        if let error = error as? HTTPClientError, error == .deadlineExceeded || error == .readTimeout {
            return Problem(
                .timeout, status: 504, title: "No answer in time", detail: "The daemon did not answer in time.",
                next: socketPath == SocketLocation.system && SocketLocation.isServiceInstalled
                    ? "No acknowledged entry is lost.\nTo see whether the daemon started, run: systemctl status homingd\nTo check its configuration, run: homingd check"
                    : "No acknowledged entry is lost. See the daemon's log. To check its configuration, run: homingd check")
        }
        guard !isSomethingElse(socketPath) else {
            return .invalid(
                "\(socketPath) is not a socket.", next: "Name the daemon's socket with --socket. To find it, run: homingd check")
        }
        if error is HTTPParserError {
            return Problem(
                .daemonNotRunning, status: 503, title: "Another program answers",
                detail: "Something else than homingd answers at \(socketPath).",
                next: "Name the daemon's socket with --socket. To find it, run: homingd check")
        }
        switch (error as? IOError)?.errnoCode {
        case EACCES, EPERM:
            return Problem(
                .notPermitted, status: 403, title: "Not permitted",
                detail: "You have no permission to open the daemon's socket at \(socketPath).",
                next: "Ask the administrator to add you to the socket's group.")
        case EAGAIN: return .busy("Too many programs are connecting to the daemon at the same time.")
        default:
            guard isAbsent(error) else {
                return Problem(
                    .daemonNotRunning, status: 503, title: "Connection lost",
                    detail: "The connection to the daemon at \(socketPath) ended without an answer (\(error)).",
                    next: "Try again: an entry submitted twice with the same id is stored once. If this repeats, see the daemon's log.")
            }
            return Problem(
                .daemonNotRunning, status: 503, title: "The daemon is not running", detail: "No daemon is listening at \(socketPath).",
                next: socketPath == SocketLocation.system && SocketLocation.isServiceInstalled
                    ? "To start it, run: \(ServiceStart.command())\nIf it does not stay up, run: systemctl status homingd"
                    : "To start it, run: homingd run\nIf it runs already, name its socket with --socket.")
        }
    }

    private static func isSomethingElse(_ path: String) -> Bool {
        let place = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        // `try?`: without access, the original error explains why.
        let attributes = try? FileManager.default.attributesOfItem(atPath: place)
        return attributes?[.type] as? FileAttributeType != .typeSocket && attributes != nil
    }

    private static func isCutOff(_ error: any Error) -> Bool {
        error as? HTTPClientError == .remoteConnectionClosed || [ECONNRESET, EPIPE].contains((error as? IOError)?.errnoCode)
    }

    /// No socket, or no listener on it.
    private static func isAbsent(_ error: any Error) -> Bool {
        [ENOENT, ECONNREFUSED].contains((error as? IOError)?.errnoCode)
    }
}
