/// Compared without regard to case. A trailing `*` matches any suffix.
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
