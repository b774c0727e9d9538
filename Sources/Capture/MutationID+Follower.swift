import Crypto
import Foundation
import SyncModel

extension MutationID {
    /// The id of the entry with the created row's payload. Derived, so that a repeated submission makes no second entry.
    package var follower: MutationID { MutationID(digest: SHA256.hash(data: Data("\(description)then".utf8))) }
}
