import ControlServer

extension ConfigurationKey {
    static let access: [ConfigurationKey] = [
        group("access.observe", "adm", "The group whose members see the status, the lists and the events.") { $0.access.observe = $1 }
            .usually("`homing-observe`, if the group exists"),
        group(
            "access.operate", "staff", "The group whose members also sign in and out, submit and retry; for people and capture programs."
        ) { $0.access.operate = $1 }
        .usually("`homing-operate`, if the group exists"),
        group("access.administer", "sudo", "The group whose members also discard entries.") { $0.access.administer = $1 }
            .usually("`homing-administer`, if the group exists"),
    ]

    private static func group(
        _ path: String, _ example: String, _ meaning: String,
        set: @escaping @Sendable (inout Configuration, AccessGroups.Group) -> Void
    ) -> ConfigurationKey {
        ConfigurationKey(path: path, type: "group, by name or number", example: example, meaning: meaning) { table, key, _, configuration in
            if let value = Configuration.group(key, in: table) { set(&configuration, value) }
        }
    }
}
