import ControlAPI
import SyncModel

/// The account to which a submitted file belongs.
struct FileOwner: Equatable {
    let backend: String
    let account: String
}

extension Handover {
    /// Submits a file. With a key, the file decides the id, so an unchanged file is stored once for each account. `isKeyed` is false for a
    /// new id.
    ///
    /// - Parameter owner: asks for the signed-in account; nil if it is unknown.
    func submit(
        _ submission: Submission, _ key: FileKey?, for owner: () async -> FileOwner?
    ) async throws(Problem) -> (receipt: SubmissionReceipt, isKeyed: Bool) {
        guard let key, let meant = await owner() else { return (try await submit(submission), false) }
        var keyed = submission
        keyed.id = key.id(of: submission, at: meant.backend, for: meant.account).description
        let receipt = try await submit(keyed)
        guard receipt.duplicate else { return (receipt, true) }
        // If another account signed in meanwhile, or did so during an earlier submission, the entry is not the one that is meant.
        guard receipt.backend == meant.backend, receipt.account == meant.account, await owner() == meant else {
            return (try await submit(submission), false)
        }
        return (receipt, true)
    }
}
