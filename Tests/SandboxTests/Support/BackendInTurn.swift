import Sandbox
import Testing

struct BackendInTurn: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let backend: SandboxBackend
    let signIn: @Sendable (LabClient, _ email: String) async throws -> LabTokens
    let write: @Sendable (LabClient, LabTokens, _ key: String) async throws -> LabAnswer
    var refresh: (@Sendable (LabClient, LabTokens) async throws -> LabAnswer)?

    static let all = [
        BackendInTurn(
            testDescription: "labloop", backend: .labLoop(), signIn: { try await $0.labLoopTokens($1) },
            write: { try await $0.appoint($1, key: $2) }, refresh: { try await $0.labLoopRefreshByHeader($1.refresh) }),
        BackendInTurn(
            testDescription: "aiphoto", backend: .aiPhoto(),
            signIn: { client, email in
                let tokens = try await client.firebaseTokens(email)
                try await client.aiPhotoRegister(tokens)
                return tokens
            },
            write: { try await $0.aiPhotoProcess($1, key: $2) }, refresh: { try await $0.firebaseRefresh($1.refresh) }),
        BackendInTurn(
            testDescription: "lists", backend: .lists(), signIn: { try LabTokens(ofLists: try await $0.listsLogIn($1).json()) },
            write: { try await $0.addList($1, key: $2) }),
        BackendInTurn(
            testDescription: "lists-2026", backend: .lists2026(), signIn: { try await $0.lists2026Tokens($1) },
            write: { try await $0.addList($1, key: $2) }, refresh: { try await $0.lists2026Refresh($1.refresh) }),
        BackendInTurn(
            testDescription: "story16", backend: .story16(), signIn: { try await $0.firebaseTokens($1) },
            write: { try await $0.story16Put($1, id: $2) }, refresh: { try await $0.firebaseRefresh($1.refresh) }),
    ]
}
