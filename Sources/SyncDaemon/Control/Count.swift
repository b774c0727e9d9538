/// A number of things with the words that agree with it: `1 capture is`, `2 captures are`.
struct Count: CustomStringConvertible {
    let number: Int
    private let noun: String

    init(_ number: Int, _ noun: String = "capture") { (self.number, self.noun) = (number, noun) }

    /// Nil for none.
    init?(some number: Int, _ noun: String = "capture") {
        guard number > 0 else { return nil }
        self.init(number, noun)
    }

    var description: String { "\(number) \(noun)\(pick("", "s"))" }

    var are: String { pick("is", "are") }
    var were: String { pick("was", "were") }
    var wait: String { pick("waits", "wait") }
    var them: String { pick("it", "them") }

    func pick(_ one: String, _ many: String) -> String { number == 1 ? one : many }
}
