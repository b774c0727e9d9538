package enum SandboxError: Error, Equatable, CustomStringConvertible {
    case address(host: String, port: Int, reason: String)
    case ledgerFile(path: String, reason: String)

    static func taken(host: String, port: Int) -> SandboxError {
        .address(host: host, port: port, reason: "another program has this port. End it, or choose another port; 0 takes any")
    }

    package var description: String {
        switch self {
        case .address(let host, let port, let reason): "cannot listen on \(host):\(port): \(reason)"
        case .ledgerFile(let path, let reason): "cannot write the ledger file \(path): \(reason)"
        }
    }
}
