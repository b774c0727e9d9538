package struct SandboxAccount: Sendable, Equatable {
    /// The backend's identifier of the account.
    package var id: String
    /// The account's number in the ledger and in faults, from 1.
    package var number: Int
    package var email: String
    package var password: String

    package init(id: String, number: Int, email: String, password: String = BreatheSafeConfiguration.labPassword) {
        self.id = id
        self.number = number
        self.email = email
        self.password = password
    }

    /// The lab accounts: manager@lab.test (1) and other@lab.test (2) with the lab password.
    package static func lab(_ manager: String, _ other: String) -> [SandboxAccount] {
        [SandboxAccount(id: manager, number: 1, email: "manager@lab.test"), SandboxAccount(id: other, number: 2, email: "other@lab.test")]
    }
}

extension SandboxAccount {
    /// The account in the form of both editions of Lists.
    var json: JSON { ["id": .string(id), "email": .string(email)] }

    /// A row that this account created or changed.
    func commit(_ resource: String, _ remoteID: Int?, _ clientMutationID: String?, _ document: JSON) -> Commit {
        Commit(resource: resource, account: number, remoteID: remoteID, clientMutationID: clientMutationID, document: document)
    }
}

extension [SandboxAccount] {
    func account(id: String?) -> SandboxAccount? { id.flatMap { id in first { $0.id == id } } }

    /// Ignores case.
    func account(email: String?) -> SandboxAccount? {
        email.flatMap { email in first { $0.email.lowercased() == email.lowercased() } }
    }
}
