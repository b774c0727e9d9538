import SyncModel

@testable import SyncDaemon

extension Reasons {
    func explain(_ entry: Entry) -> (sentence: String, next: NextStep) {
        let found = finding(entry)
        return (found.sentence, found.next)
    }
}
