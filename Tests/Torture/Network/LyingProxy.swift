import Foundation
import Glibc
import SyncModel
import Synchronization

/// A proxy between the daemon and the backend that injects faults.
final class LyingProxy: Sendable {
    /// The port it listens on; 0 for a Unix socket.
    let port: UInt16
    private let listener: Int32
    private let target: StreamPlace
    private let state: Mutex<State>

    private struct State {
        var generator: SplitMix64
        var lies: [Lie] = [.none]
        var endsOpenly = false
        var met: [Lie: Int] = [:]
        var open: Set<Int32> = []
        var isClosed = false
    }

    init(at place: StreamPlace = .loopback(0), target: StreamPlace, seed: UInt64) throws {
        self.target = target
        state = Mutex(State(generator: SplitMix64(seed: seed)))
        (listener, port) = try place.listen()
        Thread.detachNewThread { [self, listener] in
            while case let descriptor = accept(listener, nil, nil), descriptor >= 0 {
                Thread.detachNewThread { self.serve(descriptor) }
            }
        }
    }

    /// Gives each new connection one of these faults at random, unused ones first, and closes open connections.
    ///
    /// - Parameter openly: adds `Connection: close` to every response, so that nothing else is sent on the connection.
    func tell(_ lies: [Lie], openly: Bool = false) {
        let open = state.withLock { state in
            (state.lies, state.endsOpenly) = (lies, openly)
            return state.open
        }
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    var met: [Lie: Int] { state.withLock(\.met) }

    func close() {
        let open = state.withLock { state in
            state.isClosed = true
            return state.open
        }
        shutdown(listener, Int32(SHUT_RDWR))
        Glibc.close(listener)
        for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private func serve(_ client: Int32) {
        let fate = state.withLock { state -> (lie: Lie, bytes: Int, endsOpenly: Bool, isLying: Bool, isClosed: Bool) in
            // Prefers unused faults, so that each is used soon.
            let new = state.lies.filter { $0 != .none && state.met[$0] == nil }
            // An absurd Retry-After costs a minute each time, so once is enough.
            let repeated = state.lies == [.absurdRetryAfter] ? state.lies : state.lies.filter { $0 != .absurdRetryAfter }
            let lies = new.isEmpty || Bool.random(using: &state.generator) ? repeated : new
            let lie = lies[Int.random(in: 0..<lies.count, using: &state.generator)]
            state.met[lie, default: 0] += 1
            state.open.insert(client)
            // Usually within the head, sometimes within the body.
            let bytes = Int.random(in: 0...(Bool.random(using: &state.generator) ? 400 : 6000), using: &state.generator)
            return (lie, bytes, state.endsOpenly, state.lies != [.none], state.isClosed)
        }
        defer {
            _ = state.withLock { $0.open.remove(client) }
            Glibc.close(client)
        }
        if fate.isClosed { return }
        func answer(_ bytes: [UInt8]) { self.answer(client, fate.endsOpenly ? Self.ending(bytes) : bytes) }
        switch fate.lie {
        case .none: relay(client, requestBytes: .max, answerBytes: .max, ages: fate.isLying)
        case .silent: while Self.read(client) != nil {}
        case .resetAtOnce: Self.reset(client)
        case .resetRequest: relay(client, requestBytes: fate.bytes, answerBytes: .max)
        case .resetAnswer: relay(client, requestBytes: .max, answerBytes: fate.bytes)
        case .idleClosed, .idleHalfClosed, .resetOnReuse: relay(client, until: fate.lie, number: fate.bytes)
        case .slowAnswer: relay(client, requestBytes: .max, answerBytes: .max, pause: 300, ages: true)
        case .endlessAnswer: relay(client, requestBytes: .max, answerBytes: .max, pause: 200_000, sparingHead: true)
        case .answerReplaced: relay(client, requestBytes: .max, answerBytes: .max, instead: Self.page("200 OK", "Sign in to this network"))
        case .answerAppended: relay(client, requestBytes: .max, answerBytes: .max, behind: Self.bytes(Self.created))
        case .loginPage: answer(Self.page("200 OK", "Sign in to this network"))
        case .redirect: answer(Self.bytes("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:9/login\r\nContent-Length: 0\r\n\r\n"))
        case .portal: answer(Self.page("511 Network Authentication Required", "Sign in to this network"))
        case .unavailable: answer(Self.page("503 Service Unavailable", "Back soon"))
        case .retryAfterSeconds: answer(Self.busy("1"))
        case .retryAfterDate:
            let date = Date().addingTimeInterval(1)
            answer(Self.busy(date.formatted(Self.headerDate)))
        case .absurdRetryAfter:
            let absurd = ["-1", "99999999999999999999", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "Fri, 99 Foo 2026 99:99:99 GMT"]
            let word = absurd[fate.bytes % absurd.count]
            // Huge numbers are clamped to hours, too long for this campaign. The other forms are invalid or in the past.
            let retry = word.hasPrefix("999") ? "0" : word
            answer(Self.busy(retry))
        case .tooMany: answer(Self.busy("1", "429 Too Many Requests"))
        case .notHTTP: answer(Self.bytes("SSH-2.0-OpenSSH_9.2\r\n"))
        case .wrongLength:
            answer(Self.bytes("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{\"id\":1"))
        case .truncatedGzip:
            answer(
                Self.bytes("HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n")
                    + [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 0xab, 0x56])
        }
    }

    private func answer(_ client: Int32, _ bytes: [UInt8]) {
        guard Self.read(client) != nil else { return }
        _ = Self.write(client, bytes)
        shutdown(client, Int32(SHUT_WR))
        while Self.read(client) != nil {}
    }

    /// Forwards both ways until one side closes, or resets the connection after a number of bytes.
    ///
    /// - Parameters:
    ///   - ages: ends the connection when it is idle after two seconds. Otherwise the daemon uses it for every request, and meets no fault.
    ///   - microseconds: after each byte of a response, or of its body if the head is spared.
    ///   - appended: follows each response that is read in one piece.
    private func relay(
        _ client: Int32, requestBytes: Int, answerBytes: Int, pause microseconds: UInt32 = 0, sparingHead: Bool = false,
        ages: Bool = false, instead: [UInt8]? = nil, behind appended: [UInt8] = []
    ) {
        guard let backend = target.connect() else { return Self.reset(client) }
        defer { Glibc.close(backend) }
        var left = (request: requestBytes, answer: answerBytes)
        var places = [pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: backend, events: Int16(POLLIN), revents: 0)]
        let aged = ContinuousClock.now + .seconds(2)
        while poll(&places, 2, ages && .now > aged ? 50 : -1) > 0 {
            if places[0].revents != 0 {
                guard let bytes = Self.read(client) else { return }
                guard Self.write(backend, Array(bytes.prefix(left.request))) else { return }
                left.request -= bytes.count
                if left.request < 0 { return Self.reset(client) }
            }
            if places[1].revents != 0 {
                guard let bytes = Self.read(backend) else { return }
                if let instead {
                    _ = Self.write(client, instead)
                    return
                }
                let part = Array(bytes.prefix(left.answer)) + (Self.isWhole(bytes) ? appended : [])
                let atOnce = microseconds == 0 ? part.count : sparingHead ? Self.headLength(part) : 0
                guard Self.write(client, Array(part[..<atOnce])) else { return }
                for byte in part[atOnce...] {
                    guard Self.write(client, [byte]) else { return }
                    usleep(microseconds)
                }
                left.answer -= bytes.count
                if left.answer < 0 { return Self.reset(client) }
            }
        }
    }

    /// Forwards one to three turns of the client and the backend, then ends the connection before or at the client's next turn. Over TLS, the
    /// handshake takes the first.
    ///
    /// - Parameter number: a random one that decides when.
    private func relay(_ client: Int32, until end: Lie, number: Int) {
        guard let backend = target.connect() else { return Self.reset(client) }
        defer { Glibc.close(backend) }
        var places = [pollfd(fd: client, events: Int16(POLLIN), revents: 0), pollfd(fd: backend, events: Int16(POLLIN), revents: 0)]
        var (turn, isAnswering) = (0, false)
        let turns = 1 + number % 3
        let milliseconds: Int32 = [0, 1, 5, 50, 500][number / 3 % 5]
        while true {
            let isIdle = isAnswering && turn == turns
            guard poll(&places, 2, isIdle && end != .resetOnReuse ? milliseconds : -1) > 0 else { break }
            if places[0].revents != 0 {
                if isIdle {
                    if end == .resetOnReuse { return Self.reset(client) }
                    break
                }
                guard let bytes = Self.read(client), Self.write(backend, bytes) else { return }
                if isAnswering || turn == 0 { (turn, isAnswering) = (turn + 1, false) }
            }
            if places[1].revents != 0 {
                guard let bytes = Self.read(backend), Self.write(client, bytes) else { return }
                isAnswering = true
            }
        }
        guard end == .idleHalfClosed else { return }
        shutdown(client, Int32(SHUT_WR))
        while Self.read(client) != nil {}
    }

    /// The length including the empty line; 0 without one.
    private static func headLength(_ answer: [UInt8]) -> Int {
        answer.indices.first { answer[$0...].starts(with: bytes("\r\n\r\n")) }.map { $0 + 4 } ?? 0
    }

    private static func isWhole(_ answer: [UInt8]) -> Bool {
        let head = headLength(answer)
        let lines = String(decoding: answer[..<head], as: UTF8.self).lowercased().split(separator: "\r\n")
        let length = lines.first { $0.hasPrefix("content-length:") }.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) }
        return head > 0 && length.map { head + $0 == answer.count } ?? false
    }

    private static let created = "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"id\":424242}"

    private static func page(_ status: String, _ words: String) -> [UInt8] {
        let body = "<!DOCTYPE html><html><body><form action=/login>\(words)</form></body></html>"
        return bytes("HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    }

    private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func ending(_ answer: [UInt8]) -> [UInt8] {
        let line = answer.prefix { $0 != UInt8(ascii: "\n") }.count + 1
        return line > answer.count ? answer : Array(answer[..<line]) + bytes("Connection: close\r\n") + answer[line...]
    }

    private static func busy(_ retryAfter: String, _ status: String = "503 Service Unavailable") -> [UInt8] {
        bytes("HTTP/1.1 \(status)\r\nRetry-After: \(retryAfter)\r\nContent-Length: 0\r\n\r\n")
    }

    /// For example `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static let headerDate = Date.VerbatimFormatStyle(
        format:
            "\(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .defaultDigits) \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits) GMT",
        locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))

    private static func read(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func write(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var done = 0
        while done < bytes.count {
            let count = bytes[done...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count <= 0 { return false }
            done += count
        }
        return true
    }

    private static func reset(_ descriptor: Int32) {
        var noLinger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &noLinger, socklen_t(MemoryLayout<linger>.size))
    }
}
