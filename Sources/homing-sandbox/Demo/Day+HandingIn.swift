import Foundation
import Sandbox

extension Day {
    /// Submits each change as a file, all with one command.
    func handIn(_ new: [Change], route: String, fields: [String] = []) throws {
        let names = new.indices.map { "\(route)-\(changes.count + $0 + 1).json" }
        for (name, change) in zip(names, new) {
            try Data(JSON.object(change.document).bytes).write(to: URL(fileURLWithPath: "\(station.directory)/\(name)"))
        }
        add(new)
        try show(["submit", "--route", route] + fields.flatMap { ["--item", $0] } + names)
    }

    /// Submits changes that consist of fields; shows the first command.
    func handIn(fieldsOf new: [Change], route: String) throws {
        for (place, change) in new.enumerated() {
            let fields = change.document.sorted { $0.key > $1.key }.map { "\($0.key)=\($0.value.text ?? "")" }
            let command = ["submit", "--route", route, "--no-document"] + fields.flatMap { ["--item", $0] }
            if place == 0 { try show(command) } else { try station.homing(command) }
        }
        add(new)
        if new.count > 1 { quote("… and \(new.count - 1) more in the same way.") }
    }
}
