/// The keys of a profile. The types are the words of the mistakes that their readers report; a mistake about seconds also has the unit.
extension DeclaredKey {
    /// Optional and without a default, unless a modifier below says otherwise.
    static func key(_ path: String, _ type: String, _ example: String, _ meaning: String) -> DeclaredKey {
        DeclaredKey(path: path, type: type, example: example, meaning: meaning, usual: "none")
    }

    static func text(_ path: String, _ example: String, _ meaning: String) -> DeclaredKey { key(path, "text", example, meaning) }

    static func texts(_ path: String, _ example: String, _ meaning: String) -> DeclaredKey {
        key(path, StrictTable.expectedTexts, example, meaning)
    }

    /// With the default `false`.
    static func flag(_ path: String, _ meaning: String) -> DeclaredKey {
        key(path, "true or false", "true", meaning).usually("`false`")
    }

    static func table(_ path: String, _ example: String, _ meaning: String) -> DeclaredKey {
        key(path, "a table of keys", example, meaning)
    }

    static func pointer(_ path: String, _ example: String, _ meaning: String) -> DeclaredKey {
        key(path, StrictTable.expectedPointer, example, meaning)
    }

    static func pointers(_ path: String, _ example: String, _ meaning: String) -> DeclaredKey {
        key(path, StrictTable.expectedPointers, example, meaning)
    }

    static func whole(_ path: String, in range: ClosedRange<Int>, _ example: String, _ meaning: String) -> DeclaredKey {
        key(path, StrictTable.expected(whole: range), example, meaning)
    }

    static func seconds(
        _ path: String, in range: ClosedRange<Double> = StrictTable.tenYears, _ example: String, _ meaning: String
    ) -> DeclaredKey {
        key(path, StrictTable.expected(number: range), example, meaning).counted(in: "seconds")
    }

    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ path: String, _ choice: Choice.Type, _ example: String, _ meaning: String
    ) -> DeclaredKey where Choice.RawValue == String {
        key(path, StrictTable.expected(oneOf: choice), example, meaning)
    }

    var required: DeclaredKey {
        var key = usually("required")
        key.isRequired = true
        return key
    }
}
