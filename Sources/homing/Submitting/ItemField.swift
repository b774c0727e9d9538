import ArgumentParser

/// An item field, written `name=value`.
struct ItemField: ExpressibleByArgument, Equatable {
    let name: String
    let value: String

    init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        self.init(name: String(argument[..<sign]), value: String(argument[argument.index(after: sign)...]))
    }
}
