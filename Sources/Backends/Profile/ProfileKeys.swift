/// The keys of a profile, in the order of the reference. Each is declared beside its reader.
enum ProfileKeys {
    static let all: [DeclaredKey] = [Profile.keys, AuthRules.keys, Profile.innerKeys, Route.keys, Resource.keys].flatMap(\.self)

    static let root = DeclaredTable(all)
}

extension Mistake {
    /// Adds the tables that a misplaced key belongs in.
    var withPlacesOfKey: Mistake {
        let name = key.split(separator: ".").last.map(String.init) ?? ""
        let places = ProfileKeys.all.filter { $0.name == name }.map { $0.table.isEmpty ? "the top level" : $0.table }
        guard found?.hasPrefix(StrictTable.unknownKey) == true, !places.isEmpty else { return self }
        return Mistake(
            file: file, line: line, key: key, found: found, expected: "\(expected); \(name) belongs in \(places.joined(separator: ", "))")
    }
}
