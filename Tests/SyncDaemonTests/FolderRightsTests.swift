import ControlServer
import Foundation
import Glibc
import TestSupport
import Testing

@testable import SyncDaemon

struct FolderRightsTests {
    private static let operators: gid_t = 700
    private static let daemon: uid_t = 70

    private static func list(_ entries: (AccessList.Tag, UInt16, UInt32)...) -> AccessList {
        AccessList(entries.map { AccessList.Entry(tag: $0, permissions: .init(rawValue: $1), id: $2) })
    }

    @Test(
        arguments: [
            (0o3770, 700, nil, true),
            (0o3770, 70, nil, false),
            (0o3750, 700, nil, false),
            // The bits for others do not apply to a member of the owning group.
            (0o3707, 700, nil, false),
            (0o3777, 70, nil, true),
            // A named group grants access, within the mask.
            (0o3770, 70, list((.owner, 7, 0), (.owningGroup, 0, 0), (.group, 7, 700), (.mask, 7, 0), (.other, 0, 0)), true),
            (0o3770, 70, list((.owner, 7, 0), (.owningGroup, 7, 0), (.group, 7, 700), (.mask, 5, 0), (.other, 0, 0)), false),
            // One granting group is enough; a matching group that refuses still excludes the bits for others.
            (0o3770, 700, list((.owner, 7, 0), (.owningGroup, 7, 0), (.group, 0, 700), (.mask, 7, 0), (.other, 0, 0)), true),
            (0o3770, 70, list((.owner, 7, 0), (.owningGroup, 7, 0), (.group, 0, 700), (.mask, 7, 0), (.other, 7, 0)), false),
        ] as [(mode_t, gid_t, AccessList?, Bool)])
    func followsModeACLAndMask(mode: mode_t, group: gid_t, access: AccessList?, isAllowed: Bool) {
        let rights = FolderRights(owner: 70, group: group, mode: mode, access: access, defaults: nil)
        #expect(rights.allow([.write, .execute], toMemberOf: Self.operators) == isAllowed)
    }

    @Test func decodesKernelACLFormat() {
        let nobody: [UInt8] = [255, 255, 255, 255]
        let entries: [[UInt8]] = [
            [1, 0, 7, 0] + nobody, [2, 0, 6, 0, 70, 0, 0, 0], [4, 0, 0, 0] + nobody, [16, 0, 7, 0] + nobody, [32, 0, 0, 0] + nobody,
        ]
        let attribute: [UInt8] = [2, 0, 0, 0] + entries.joined()
        let none = UInt32.max
        #expect(
            AccessList(attribute: attribute)
                == Self.list((.owner, 7, none), (.user, 6, 70), (.owningGroup, 0, none), (.mask, 7, none), (.other, 0, none)))
        #expect(AccessList(attribute: []) == nil)
        #expect(AccessList(attribute: [1, 0, 0, 0]) == nil)
        #expect(AccessList(attribute: Array(attribute.dropLast())) == nil)
    }

    @Test func reportsFaultsOfDropFolder() throws {
        let directory = try TemporaryDirectory()
        let new = directory("new")
        let users = directory("new/users")
        try FileManager.default.createDirectory(atPath: users, withIntermediateDirectories: true)
        let check = DropFolderCheck(operators: AccessGroups.Group(numbered: getegid()), daemon: geteuid())
        func faults() -> String { check.faults(of: directory.path).joined(separator: "\n") }
        for folder in [directory.path, new, users] { #expect(chmod(folder, 0o3770) == 0) }
        #expect(!faults().contains("cannot") && !faults().contains("not sticky"), "\(faults())")
        #expect(faults().contains("\(users) has no default ACL"))
        #expect(chmod(new, 0o770) == 0)
        #expect(faults().contains("each other’s files: \(new) ("), "\(faults())")
        #expect(chmod(new, 0o3700) == 0)
        #expect(faults().contains("cannot drop files into \(new) ("), "\(faults())")
        #expect(chmod(directory.path, 0o700) == 0)
        #expect(faults().contains("cannot pass through"), "\(faults())")
        #expect(rmdir(users) == 0)
        #expect(faults().contains("\(users) cannot be examined"), "\(faults())")
    }
}
