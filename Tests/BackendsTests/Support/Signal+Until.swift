import Outbox

extension Signal {
    /// Returns once `isTrue` holds; asks at once and after every `send`.
    func until(_ isTrue: () -> Bool) async {
        let news = listen()
        if isTrue() { return }
        for await _ in news where isTrue() { return }
    }
}
