import JSON

extension StrictTable {
    /// Pointers in a row or an answer, each with the text that its value must be.
    func identifyingValues(_ key: String, scope: TemplateScope) -> [(pointer: JSONPointer, value: TextTemplate)] {
        let mistakesBefore = mistakes.all.count
        var values: [(pointer: JSONPointer, value: TextTemplate)] = []
        for declared in map(key) {
            guard let pointer = JSONPointer(declared.name), !pointer.tokens.isEmpty else {
                mistakes.add(
                    at: declared.value, key: declared.path, found: "\"\(declared.name)\"",
                    expected: "a JSON pointer to a value in a row or an answer, such as /id")
                continue
            }
            if let value = identifyingValue(declared, scope) { values.append((pointer, value)) }
        }
        if values.isEmpty, isRequired(key) || keys.contains(key), mistakes.all.count == mistakesBefore {
            reject(key, expected: "at least one value, such as {/id: \"{item.user_id}\"}")
        }
        return values
    }

    private func identifyingValue(_ declared: (name: String, value: YAMLNode, path: String), _ scope: TemplateScope) -> TextTemplate? {
        let expected = "text with {item.…} placeholders"
        do throws(TemplateMistake) {
            guard let text = declared.value.text, !text.isEmpty else {
                throw TemplateMistake(found: declared.value.summary, expected: expected)
            }
            let value = try TextTemplate(parsing: text, scope: scope)
            try value.checkWithinText()
            // A fixed value would be the same for all entries.
            guard value.placeholders.contains(where: { $0.field != nil && !$0.isPayload && !$0.isOptional }) else {
                throw TemplateMistake(found: "\"\(text)\"", expected: expected)
            }
            return value
        } catch {
            mistakes.add(at: declared.value, key: declared.path, found: error.found, expected: error.expected)
            return nil
        }
    }
}
