import Foundation

/// A certificate authority made with openssl(1).
struct Authority: Sendable {
    /// Paths of a server's certificate and key in PEM.
    struct Identity: Sendable {
        let certificate, key: String
    }

    private let folder: String
    /// The path of the CA certificate in PEM.
    var certificate: String { folder + "/ca.pem" }

    private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

    init(_ name: String, in folder: String) async throws {
        self.folder = folder
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let settings = """
            [ca]
            default_ca = this
            [this]
            database = issued
            new_certs_dir = .
            serial = serial
            default_md = sha256
            policy = policy
            unique_subject = no
            copy_extensions = copy
            [policy]
            commonName = supplied

            """
        for (file, text) in [("ca.cnf", settings), ("issued", ""), ("serial", "01\n")] {
            try text.write(toFile: "\(folder)/\(file)", atomically: true, encoding: .utf8)
        }
        let subject = ["-subj", "/CN=\(name)", "-days", "3650", "-keyout", "ca.key", "-out", "ca.pem"]
        try await Tool.run(["openssl", "req", "-x509"] + Self.newKey + subject, in: folder)
    }

    /// Issues a certificate for host names or IP addresses.
    func issue(
        _ file: String, for names: [String], from: Date = .now.addingTimeInterval(-86_400),
        until: Date = .now.addingTimeInterval(90 * 86_400)
    ) async throws -> Identity {
        let subject = ["-subj", "/CN=backend", "-addext", Self.alternatives(names)]
        let request = ["-keyout", "\(file).key", "-out", "\(file).csr"]
        try await Tool.run(["openssl", "req"] + Self.newKey + subject + request, in: folder)
        let dates = ["-startdate", Self.text(from), "-enddate", Self.text(until)]
        let files = ["-cert", "ca.pem", "-keyfile", "ca.key", "-in", "\(file).csr", "-out", "\(file).pem"]
        try await Tool.run(["openssl", "ca", "-batch", "-notext", "-config", "ca.cnf"] + files + dates, in: folder)
        return Identity(certificate: "\(folder)/\(file).pem", key: "\(folder)/\(file).key")
    }

    func selfSigned(_ file: String, for names: [String]) async throws -> Identity {
        let subject = ["-subj", "/CN=backend", "-addext", Self.alternatives(names), "-days", "90"]
        let files = ["-keyout", "\(file).key", "-out", "\(file).pem"]
        try await Tool.run(["openssl", "req", "-x509"] + Self.newKey + subject + files, in: folder)
        return Identity(certificate: "\(folder)/\(file).pem", key: "\(folder)/\(file).key")
    }

    private static func alternatives(_ names: [String]) -> String {
        "subjectAltName=" + names.map { ($0.allSatisfy { "0123456789.".contains($0) } ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
    }

    /// For example `20260131235959Z`.
    private static func text(_ date: Date) -> String {
        date.formatted(.iso8601).filter { $0.isNumber || $0 == "Z" }
    }
}
