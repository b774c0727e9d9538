import Capture
import SyncModel

extension Entry {
    /// Whether it was accepted together with the entry that creates its row, and has the values of that row; also after a correction of its payload.
    var isFollower: Bool {
        guard let follower = mutation.subject?.reference?.follower else { return false }
        return id == follower || mutation.supersedes == follower
    }
}
