import CIdentity
import Foundation
import Glibc
import StationSupport
import TestSupport

/// A folder outside the drop folder with captures for links, and a check that they were not read.
struct Outside {
    private let directory: TemporaryDirectory
    private let secret: String
    private let isNoticed: Bool

    var path: String { directory.path }

    init(owner: UInt32) throws {
        directory = try TemporaryDirectory()
        chmod(directory.path, 0o755)
        secret = directory("secret.json")
        for name in ["secret.json", "linked.json", "probe.json"] {
            try directory.write(DropHazard.capture(name == "linked.json" ? 5001 : 5000), to: name)
            chmod(directory(name), 0o644)
            chown(directory(name), owner, owner)
            // An access time before the modification time, so that relatime records the next read.
            homing_set_times(directory(name), 1_000_000_000, 1_700_000_000)
        }
        _ = try Data(contentsOf: URL(fileURLWithPath: directory("probe.json")))
        isNoticed = homing_read_at(directory("probe.json")) != 1_000_000_000
    }

    var problems: [String] {
        var problems: [String] = []
        if isNoticed, homing_read_at(secret) != 1_000_000_000 { problems.append("a file outside was read through a link") }
        // `try?`: an unreadable folder or file counts as changed.
        if (try? directory.names) != ["linked.json", "probe.json", "secret.json"] { problems.append("the folder outside has changed") }
        if (try? String(contentsOfFile: secret, encoding: .utf8)) != DropHazard.capture(5000) {
            problems.append("a file outside has changed")
        }
        return problems
    }
}
