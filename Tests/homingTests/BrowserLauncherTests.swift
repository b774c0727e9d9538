import Foundation
import TestSupport
import Testing

@testable import homing

@Suite struct BrowserLauncherTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    private func opens(in folder: String) -> Bool {
        BrowserLauncher(environment: ["DISPLAY": ":0", "XDG_RUNTIME_DIR": folder]) != nil
    }

    @Test func needsAPrivateFolder() throws {
        let folder = directory("run")
        #expect(!opens(in: folder))
        #expect(mkdir(folder, 0o700) == 0)
        #expect(opens(in: folder))
        for mode: mode_t in [0o710, 0o740, 0o720, 0o701, 0o704, 0o702, 0o777] {
            #expect(chmod(folder, mode) == 0)
            #expect(!opens(in: folder), "\(mode)")
        }
    }

    @Test func followsNoLink() throws {
        let (folder, link) = (directory("run"), directory("link"))
        #expect(mkdir(folder, 0o700) == 0 && symlink(folder, link) == 0)
        #expect(!opens(in: link))
    }

    @Test func usesNoFolderOfAnotherUser() throws {
        let folder = geteuid() == 0 ? directory("run") : "/root"
        if geteuid() == 0 {
            #expect(mkdir(folder, 0o700) == 0 && chown(folder, 1, 1) == 0)
        }
        #expect(!opens(in: folder))
    }

    @Test func needsADesktop() throws {
        let folder = directory("run")
        #expect(mkdir(folder, 0o700) == 0)
        #expect(BrowserLauncher(environment: ["XDG_RUNTIME_DIR": folder]) == nil)
    }
}
