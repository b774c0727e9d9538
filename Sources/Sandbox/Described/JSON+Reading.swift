extension JSON {
    /// Reads the placeholders' values from a body; throws 400 if the body does not match. Ignores additional members.
    func read(_ body: JSON?, vars: [String: String], at place: String = "", into values: inout JSONObject) throws(Refusal) {
        let problem = Refusal(400, "", "the body does not match the profile at \"\(place)\"")
        switch self {
        case .string(let template):
            let pattern = TextPattern(template, vars: vars)
            if let name = pattern.soleName {
                guard let body else {
                    if pattern.isOptional { return }
                    throw problem
                }
                values[name] = body
            } else {
                guard let found = body?.text.flatMap(pattern.values) else { throw problem }
                values.merge(found) { $1 }
            }
        case .array(let templates):
            guard let elements = body?.elements, elements.count == templates.count else { throw problem }
            for (index, template) in templates.enumerated() {
                try template.read(elements[index], vars: vars, at: "\(place)/\(index)", into: &values)
            }
        case .object(let templates):
            guard let members = body?.members else { throw problem }
            for (key, template) in templates.sorted(by: { $0.key < $1.key }) {
                try template.read(members[key], vars: vars, at: "\(place)/\(key)", into: &values)
            }
        default:
            guard body == self else { throw problem }
        }
    }
}
