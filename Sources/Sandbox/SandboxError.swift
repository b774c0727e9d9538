package enum SandboxError: Error, Equatable, CustomStringConvertible {
    case address(host: String, port: Int, reason: String)
    case ledgerFile(path: String, reason: String)

    static func taken(host: String, port: Int) -> SandboxError {
        .address(host: host, port: port, reason: "another program uses this port. Stop it or choose another; 0 takes a free one")
    }

    package var description: String {
        switch self {
        case .address(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .ledgerFile(let path, let reason): "cannot write the ledger file \(path): \(reason)"
        }
    }
}
