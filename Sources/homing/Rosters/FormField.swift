import ArgumentParser
import ControlAPI

/// `name=text`, or `name:=JSON` for a value that is not text.
struct FormField: ExpressibleByArgument, Equatable {
    let name: String
    /// Nil if missing, as in `--first-name` at the end of the line.
    let value: String?
    let isJSON: Bool

    init?(argument: String) {
        let sign = argument.firstIndex(of: "=")
        let start = argument[..<(sign ?? argument.endIndex)]
        isJSON = sign != nil && start.hasSuffix(":")
        name = String(isJSON ? start.dropLast() : start)
        value = sign.map { String(argument[argument.index(after: $0)...]) }
        if name.isEmpty { return nil }
    }

    /// The field for the command line: `--first-name Anna`, or `--set 'year:=1980'`.
    var asArgument: String {
        let (option, value) = (FormOptions.option(for: name), value ?? "")
        guard !isJSON, !option.hasSuffix("="), name == name.asArgument, !value.hasPrefix("--") else {
            return "--set " + "\(name)\(isJSON ? ":" : "")=\(value)".asArgument
        }
        return "\(option) \(value.asArgument)"
    }
}
