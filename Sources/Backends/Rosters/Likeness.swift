import Foundation
import JSON
import SyncModel

/// How a value in a row compares with the entry's id.
enum Likeness: Comparable {
    case other
    /// Perhaps the id in another spelling or type.
    case similar
    case same
}

extension JSONValue {
    /// - Parameter isNumber: the entry's id is a whole number.
    func likeness(to id: String, isNumber: Bool) -> Likeness {
        if isNumber, let text = string { return text.mentions(id) ? .similar : .other }
        // Not `==`, which ignores Unicode normalisation.
        if let identifier, identifier.utf8.elementsEqual(id.utf8) { return .same }
        guard isNumber else { return text?.spelling == id.spelling ? .similar : .other }
        // A server that reads doubles may take it for the id.
        return wholeDigits == nil && text.flatMap { Double($0) } == Double(id) ? .similar : .other
    }
}

extension String {
    /// The same for texts that a server may take for one id.
    fileprivate var spelling: String {
        let folded = folded
        if folded.allSatisfy(\.isDigit) { return String(folded.drop { $0 == "0" }) }
        return JSONValue(parsing: Data(folded.utf8))?.wholeDigits ?? folded
    }

    fileprivate func mentions(_ digits: String) -> Bool {
        spelling == digits || folded.split { !$0.isDigit }.contains { $0.drop { $0 == "0" } == digits }
    }
}

extension Character {
    fileprivate var isDigit: Bool { isASCII && isWholeNumber }
}
