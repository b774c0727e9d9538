/// BreatheSafe's validation messages for a captured face; empty if it is valid.
enum ArkitValidation {
    /// `order` has the names of the distances in document order, which is that of the messages.
    static func messages(for arkit: JSON, order: [String]) -> [String] {
        guard let object = arkit.members else { return ["Arkit must be a hash"] }
        guard let average = object["average_measurements"] else { return [#"Arkit must have an "average_measurements" key"#] }
        guard let measurements = average.members else { return [#"Arkit "average_measurements" must be a hash"#] }
        var seen: Set<String> = []
        let names = (order + measurements.keys.sorted()).filter { seen.insert($0).inserted }
        return names.flatMap { name in measurements[name].map { problems(of: name, $0) } ?? [] }
    }

    private static func problems(of key: String, _ measurement: JSON) -> [String] {
        let numbers = key.split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, numbers.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            let form = "'digits-dash-digits' (e.g., '14-818')"
            return ["Arkit key in average_measurements must match pattern \(form), got: \(JSON.string(key).rubyInspection)"]
        }
        let place = "for key '\(key)' in average_measurements"
        guard let members = measurement.members else { return ["Arkit value \(place) must be a hash"] }
        guard let value = members["value"] else { return ["Arkit hash \(place) must have 'value' key"] }
        var problems: [String] = []
        if value.number.map({ $0 > 0 }) != true {
            problems.append("Arkit value \(place) must be a positive float, got: \(value.rubyInspection)")
        }
        switch members["description"] {
        case nil: problems.append("Arkit hash \(place) must have 'description' key")
        case .string?: break
        case let other?: problems.append("Arkit description \(place) must be a string, got: \(other.rubyClass)")
        }
        return problems
    }
}

/// BreatheSafe's five sums in millimetres; null if a distance is missing.
struct ArkitAggregate: Sendable {
    let sums: JSON
    /// The share of sums that are not null, 0 to 100.
    let percentComplete: Double

    private static let lines = ["nose_mm", "strap_mm", "top_cheek_mm", "mid_cheek_mm", "chin_mm"].map { sum in
        (name: sum, keys: FaceLine.all.filter { $0.sum == sum }.flatMap(\.segments).map(\.key))
    }

    init(_ arkit: JSON) {
        let measurements = arkit["average_measurements"]
        let values = Self.lines.map { line in line.keys.map { measurements?[$0]?["value"]?.number } }
        let totals = values.map { $0.contains(nil) ? nil : $0.compactMap(\.self).reduce(0, +) }
        sums = .object(JSONObject(uniqueKeysWithValues: zip(Self.lines, totals).map { ($0.name, .decimal($1)) }))
        percentComplete = Double(totals.count { $0 != nil }) / Double(Self.lines.count) * 100
    }
}
