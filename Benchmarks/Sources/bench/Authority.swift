import Foundation
import NIOSSL

/// A certificate authority, and the certificate of a server at 127.0.0.1, made with openssl(1).
struct Authority {
    /// For the server.
    let context: NIOSSLContext

    /// Its certificate is the file `ca.pem` of the folder.
    init(in folder: String) throws {
        let new: [String] = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "30"]
        let limits = ["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:false"]
        try Self.openssl(new + ["-subj", "/CN=Bench authority", "-keyout", "ca.key", "-out", "ca.pem"], in: folder)
        let issued = ["-CA", "ca.pem", "-CAkey", "ca.key", "-subj", "/CN=bench", "-keyout", "server.key", "-out", "server.pem"]
        try Self.openssl(new + issued + limits, in: folder)
        context = try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: NIOSSLCertificate.fromPEMFile("\(folder)/server.pem").map { .certificate($0) },
                privateKey: .privateKey(NIOSSLPrivateKey(file: "\(folder)/server.key", format: .pem))))
    }

    private static func openssl(_ arguments: [String], in folder: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchError("openssl \(arguments.joined(separator: " ")) failed") }
    }
}
