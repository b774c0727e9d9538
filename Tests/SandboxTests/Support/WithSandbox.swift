import Foundation
import Sandbox

/// Runs a sandbox during `body`. The client's cookie jar is empty.
func withSandbox<Result: Sendable>(
    _ backend: BreatheSafeConfiguration = .severalUsers, ledgerFile: String? = nil, faults: [Fault] = [],
    _ body: (Sandbox, LabClient) async throws -> Result
) async throws -> Result {
    try await withSandbox(of: .breatheSafe(backend), ledgerFile: ledgerFile, faults: faults, body)
}

func withSandbox<Result: Sendable>(
    of backend: SandboxBackend, ledgerFile: String? = nil, faults: [Fault] = [],
    _ body: (Sandbox, LabClient) async throws -> Result
) async throws -> Result {
    let sandbox = try Sandbox(SandboxConfiguration { ($0.faults, $0.ledgerFile, $0.backend) = (faults, ledgerFile, backend) })
    try await sandbox.start()
    do {
        let result = try await body(sandbox, LabClient(sandbox.baseURL))
        await sandbox.stop()
        return result
    } catch {
        await sandbox.stop()
        throw error
    }
}

func fixture(_ name: String) throws -> String {
    try String(contentsOf: Bundle.module.bundleURL.appending(path: "Fixtures/\(name)"), encoding: .utf8)
}
