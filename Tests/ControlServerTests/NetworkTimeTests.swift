import Foundation
import TestSupport
import Testing

@testable import ControlAPI

@Suite struct NetworkTimeTests {
    @Test func isInstalledWithAListOfItsUnit() throws {
        let directory = try TemporaryDirectory()
        #expect(!NetworkTime.isInstalled(in: [directory("usr")]))
        try FileManager.default.createDirectory(atPath: directory("usr/systemd/ntp-units.d"), withIntermediateDirectories: true)
        #expect(!NetworkTime.isInstalled(in: [directory("usr")]))
        try directory.write("chrony.service\n", to: "usr/systemd/ntp-units.d/50-chrony.list")
        #expect(NetworkTime.isInstalled(in: [directory("etc"), directory("usr")]))
    }

    @Test func remedyNamesACommandThatWorks() {
        #expect(NetworkTime.remedy(isInstalled: true).hasSuffix("timedatectl set-ntp true"))
        #expect(!NetworkTime.remedy(isInstalled: false).contains("set-ntp"))
    }
}
