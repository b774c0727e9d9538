import Backends
import ControlServer

extension ConfigurationKey {
    static let access: [ConfigurationKey] = [
        group("access.observe", "adm", "The group whose members see the status, the lists and the events.") { $0.access.observe = $1 },
        group(
            "access.operate", "staff", "The group whose members also sign in and out, submit and retry; for people and capture programs."
        ) { $0.access.operate = $1 },
        group("access.administer", "sudo", "The group whose members also discard entries.") { $0.access.administer = $1 },
    ]

    private static func group(
        _ path: String, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, AccessGroups.Group) -> Void
    ) -> ConfigurationKey {
        let declared = DeclaredKey(path: path, type: "group, by name or number", example: example, meaning: meaning)
        return ConfigurationKey(declared.usually("`homing-\(declared.name)`, if the group exists")) { table, key, _, configuration in
            if let value = Configuration.group(key, in: table) { set(&configuration, value) }
        }
    }
}
