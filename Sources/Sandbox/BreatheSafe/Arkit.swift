/// What BreatheSafe says about a captured face that it does not accept; empty when it does.
enum ArkitValidation {
    static func messages(for arkit: JSON) -> [String] {
        guard let object = arkit.members else { return ["Arkit must be a hash"] }
        guard let average = object["average_measurements"] else { return [#"Arkit must have an "average_measurements" key"#] }
        guard let measurements = average.members else { return [#"Arkit "average_measurements" must be a hash"#] }
        return measurements.sorted { $0.key < $1.key }.compactMap { problem(key: $0.key, measurement: $0.value) }
    }

    private static func problem(key: String, measurement: JSON) -> String? {
        let numbers = key.split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return "Arkit key in average_measurements must match pattern 'digits-dash-digits' (e.g., '14-818'), got: \(JSON.string(key))"
        }
        guard let value = measurement["value"], let description = measurement["description"] else {
            return "Arkit hash for key '\(key)' in average_measurements must have 'value' and 'description' keys"
        }
        guard let number = value.number, number > 0 else {
            return "Arkit value for key '\(key)' in average_measurements must be a positive float, got: \(value)"
        }
        guard description.text != nil else {
            return "Arkit description for key '\(key)' in average_measurements must be a string, got: \(description)"
        }
        return nil
    }
}

/// The five sums in millimetres that BreatheSafe derives from a captured face.
struct ArkitAggregate: Sendable {
    private(set) var sums: JSON = .null
    /// 0 to 100; complete is the 54 distances that the capture app measures.
    private(set) var percentComplete = 0.0

    private static let complete = 54.0
    private static let groups: [(name: String, words: [String])] = [
        ("nose_mm", ["nose"]), ("strap_mm", ["strap"]), ("top_cheek_mm", ["top", "cheek"]), ("mid_cheek_mm", ["mid", "cheek"]),
        ("chin_mm", ["chin"]),
    ]

    init(_ arkit: JSON) {
        // In one order, so that the sums come out the same to the last digit.
        let measurements = (arkit["average_measurements"]?.members ?? [:]).sorted { $0.key < $1.key }
        let measured = measurements.compactMap { _, measurement in
            measurement["value"]?.number.map { (words: measurement["description"]?.text?.lowercased() ?? "", value: $0) }
        }
        let values = Self.groups.map { group in
            measured.filter { entry in group.words.allSatisfy(entry.words.contains) }.map(\.value)
        }
        sums = .object(
            JSONObject(
                uniqueKeysWithValues: zip(Self.groups, values).map { ($0.name, .decimal($1.isEmpty ? nil : $1.reduce(0, +))) }))
        percentComplete = min(100, Double(values.joined().count) / Self.complete * 100)
    }
}
