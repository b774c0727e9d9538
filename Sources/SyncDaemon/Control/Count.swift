import ControlAPI

/// A number with words that agree: `1 capture is`, `2 captures are`, `3 captures and 1 new person are`.
struct Count: CustomStringConvertible {
    let number: Int
    let description: String

    init(_ number: Int, _ noun: String = "capture") {
        self.init(number, RosterTitle(one: noun, many: noun + "s"))
    }

    private init(_ number: Int, _ title: RosterTitle) {
        (self.number, description) = (number, title.counted(number))
    }

    /// Nil for none.
    init?(some number: Int, _ noun: String) { self.init(some: number, RosterTitle(one: noun, many: noun + "s")) }

    /// Nil for none.
    init?(some number: Int, _ title: RosterTitle) {
        guard number > 0 else { return nil }
        self.init(number, title)
    }

    /// Entries by kind: `3 captures and 1 new person`; for more than three kinds, or some of several, `5 entries`.
    init(_ number: Int, among kinds: [EntryKind]) {
        self.number = number
        let areAll = kinds.map(\.count).reduce(0, +) == number
        description =
            switch kinds.count {
            case 0: EntryKind.capture.counted(number)
            case 1: kinds[0].title.counted(number)
            case 2...3 where areAll: kinds.map { $0.title.counted($0.count) }.inWords
            default: EntryKind.entry.counted(number)
            }
    }

    /// Nil for none.
    init?(some number: Int, among kinds: [EntryKind]) {
        guard number > 0 else { return nil }
        self.init(number, among: kinds)
    }

    var are: String { pick("is", "are") }
    var were: String { pick("was", "were") }
    var wait: String { pick("waits", "wait") }
    var them: String { pick("it", "them") }

    func pick(_ one: String, _ many: String) -> String { number == 1 ? one : many }
}
