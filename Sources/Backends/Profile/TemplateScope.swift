/// The placeholders allowed in one place.
struct TemplateScope: Sendable {
    /// Known when the profile is loaded: `vars`, `version`, `device_id`.
    let constants: [String: String]
    /// From the caller, e.g. `email`.
    var inputs: Set<String> = []
    /// Allows `{item.…}`.
    var items = false
    /// Allows `{row./…}`.
    var rows = false

    func adding(_ inputs: String...) -> TemplateScope {
        TemplateScope(constants: constants, inputs: self.inputs.union(inputs), items: items, rows: rows)
    }
    func without(_ inputs: String...) -> TemplateScope {
        TemplateScope(constants: constants, inputs: self.inputs.subtracting(inputs), items: items, rows: rows)
    }
    var withItems: TemplateScope { TemplateScope(constants: constants, inputs: inputs, items: true, rows: rows) }
    var withRows: TemplateScope { TemplateScope(constants: constants, inputs: inputs, items: items, rows: true) }

    /// Replaces a constant, keeps an allowed placeholder, rejects any other.
    func part(_ placeholder: Placeholder) throws(TemplateMistake) -> TextTemplate.Part {
        let name = placeholder.name
        if let constant = constants[name] { return .literal(constant) }
        if inputs.contains(name) { return .placeholder(placeholder) }
        if items, let field = placeholder.field, !field.isEmpty, field.allSatisfy(Self.isNameCharacter) { return .placeholder(placeholder) }
        if rows, placeholder.rowPointer != nil { return .placeholder(placeholder) }
        throw TemplateMistake(found: "{\(name)}", expected: Self.rules[name] ?? "one of the placeholders \(names)")
    }

    private var names: String {
        let names =
            constants.keys.sorted() + inputs.sorted() + (items ? ["item.id", "item.payload", "item.<field>"] : [])
            + (rows ? ["row./<pointer>"] : [])
        return names.map { "{\($0)}" }.joined(separator: ", ")
    }

    private static let rules = [
        "parent": "{parent} only in a resource with the key parent",
        "password": "{password} only in the body or a header of auth.login",
        "refresh": "{refresh} only in auth.refresh and auth.logout of scheme bearer, never in a URL",
        "access":
            "{access} only in auth.refresh and auth.logout of scheme bearer, never in a URL; Homing adds the token to all others itself",
    ]

    private static func isNameCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "_" || character == "-")
    }
}
