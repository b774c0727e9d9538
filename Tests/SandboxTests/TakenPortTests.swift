import Foundation
import Sandbox
import Testing

@Suite struct TakenPortTests {
    @Test func reportsPortInUse() async throws {
        try await withSandbox { sandbox, _ async throws in
            let port = try #require(URL(string: sandbox.baseURL)?.port)
            let error = await #expect(throws: SandboxError.self) {
                let second = try Sandbox(SandboxConfiguration { $0.port = port })
                try await second.start()
            }
            #expect(
                error?.description
                    == "cannot listen on 127.0.0.1:\(port): another program uses this port. Stop it or choose another; 0 takes a free one")
        }
    }
}
