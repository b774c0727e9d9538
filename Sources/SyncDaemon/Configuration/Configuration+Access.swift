import Backends
import ControlServer
import SyncModel

extension Configuration {
    /// A configured group, which must exist: otherwise its members would lose access, or others gain it.
    static func group(_ key: String, in table: StrictTable) -> AccessGroups.Group? {
        table.read(key, expected: "a group of this system (see ‘getent group’; ‘addgroup NAME’ makes one), or its number") { node in
            switch node.content {
            case .scalar(let name, .string): AccessGroups.Group(named: name)
            case .scalar(_, .int(let number)): UInt32(exactly: number).map(AccessGroups.Group.init(numbered:))
            default: nil
            }
        }
    }
}
