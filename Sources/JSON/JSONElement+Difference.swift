import Foundation
import SyncModel

extension JSONElement {
    /// Where `echo` does not hold what this value holds: the pointer of the first difference, nil where there is none.
    ///
    /// Members that the echo has besides, and another way to write the same number, are no difference.
    package func firstDifference(in echo: JSONElement) -> JSONPointer? {
        var path: [String] = []
        return differs(from: echo, &path) ? JSONPointer(tokens: path) : nil
    }

    private func differs(from echo: JSONElement, _ path: inout [String]) -> Bool {
        guard kind == echo.kind else { return true }
        switch kind {
        case .object:
            let echoed = Dictionary(echo.members.map { ($0.name, $0.value) }) { _, last in last }
            for (name, value) in members {
                path.append(name)
                guard let other = echoed[name], !value.differs(from: other, &path) else { return true }
                path.removeLast()
            }
            return false
        case .array:
            let (mine, others) = (elements, echo.elements)
            for (index, value) in mine.enumerated() {
                path.append(String(index))
                guard index < others.count, !value.differs(from: others[index], &path) else { return true }
                path.removeLast()
            }
            return mine.count != others.count
        case .number:
            let texts = [self, echo].map { String(decoding: $0.bytes, as: UTF8.self) }
            return texts[0] != texts[1] && Double(texts[0]) != Double(texts[1])
        case .string, .bool: return scalar != echo.scalar
        case .null: return false
        }
    }
}
