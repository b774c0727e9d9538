import ArgumentParser
import Foundation
import Glibc

/// The internet for a station in a network namespace: forwards connections to the backend and answers DNS queries.
struct InternetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "internet", abstract: "Imitate the internet in a network namespace.", shouldDisplay: false)

    @Option(help: "The folder of the namespaces (see Namespaces.swift).") var folder: String

    func run() async throws {
        let names = try StreamPlace.internet(Namespaces.gateway, 53).receive()
        let proxy = try LyingProxy(at: .internet("0.0.0.0", 443), target: .file(folder + "/backend.sock"), seed: 0)
        defer { proxy.close() }
        try "\(getpid())".write(toFile: folder + "/internet.pid", atomically: true, encoding: .utf8)
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread { while true { answer(on: names) } }
        }
    }

    /// Answers one query as the file `names` says at that moment.
    private func answer(on descriptor: Int32) {
        var question = [UInt8](repeating: 0, count: 512)
        var sender = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let count = withUnsafeMutablePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { recvfrom(descriptor, &question, question.count, 0, $0, &length) }
        }
        // `try?`: no reply while the file is replaced.
        let mode = (try? String(contentsOfFile: folder + "/names", encoding: .utf8)).flatMap(Namespaces.Names.init) ?? .silent
        guard count > 12, let reply = Self.reply(to: Array(question[..<count]), mode) else { return }
        _ = withUnsafePointer(to: &sender) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { sendto(descriptor, reply, reply.count, 0, $0, length) }
        }
    }

    /// RFC 1035, section 4: every name resolves to the backend's IPv4 address. Nil for no reply.
    private static func reply(to question: [UInt8], _ mode: Namespaces.Names) -> [UInt8]? {
        guard let end = question[12...].firstIndex(of: 0), end + 4 < question.count else { return nil }
        let isIPv4 = question[end + 1] == 0 && question[end + 2] == 1
        let (code, answers): (UInt8, UInt8)
        switch mode {
        case .silent: return nil
        case .answering: (code, answers) = (0, isIPv4 ? 1 : 0)
        case .unknown: (code, answers) = (3, 0)
        case .failing: (code, answers) = (2, 0)
        }
        let head = question[0..<2] + [0x81, 0x80 | code, 0, 1, 0, answers, 0, 0, 0, 0]
        // A pointer to the name, type A, class IN, TTL 0, four bytes.
        let answer: [UInt8] = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4] + Namespaces.backend.split(separator: ".").compactMap { UInt8($0) }
        return Array(head + question[12...(end + 4)] + (answers > 0 ? answer : []))
    }
}
