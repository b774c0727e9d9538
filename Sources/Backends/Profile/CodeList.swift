/// Codes of answers that a profile declares. They compare without regard to case; one that ends in `*` stands for all that begin so.
struct CodeList: Sendable, Hashable {
    private var whole: Set<String> = []
    private var beginnings: [String] = []

    init(_ codes: [String]? = nil) {
        for code in (codes ?? []).map({ $0.lowercased() }) {
            if code.hasSuffix("*") { beginnings.append(String(code.dropLast())) } else { whole.insert(code) }
        }
    }

    var isEmpty: Bool { whole.isEmpty && beginnings.isEmpty }

    func contains(_ code: String) -> Bool {
        let code = code.lowercased()
        return whole.contains(code) || beginnings.contains { code.hasPrefix($0) }
    }
}
