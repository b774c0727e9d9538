import SyncModel
import Testing

@Suite struct MountedFileSystemTests {
    private static let table = """
        21 27 0:20 / /proc rw,nosuid - proc proc rw
        30 27 0:26 /homing /run/homing rw,nosuid shared:5 - tmpfs tmpfs rw,size=400000k
        27 1 254:1 / / rw,relatime - ext4 /dev/vda1 rw,discard
        31 27 0:26 / /run rw,nosuid shared:5 - tmpfs tmpfs rw,size=400000k
        32 27 8:17 / /media/stick rw - vfat /dev/sdb1 rw
        33 27 259:262145 / /data rw master:1 propagate_from:2 - xfs /dev/nvme0n1 rw
        """

    @Test(
        arguments: [
            (254 << 8 | 1, "ext4", "/"), (26, "tmpfs", "/run"), (8 << 8 | 17, "vfat", "/media/stick"),
            // A minor number of more than eight bits.
            (1024 << 20 | 259 << 8 | 1, "xfs", "/data"),
        ] as [(UInt64, String, String)])
    func deviceNumberFindsTheMount(device: UInt64, type: String, point: String) throws {
        let found = try #require(MountedFileSystem(device: device, in: Self.table))
        #expect(found.type == type && found.point == point)
    }

    @Test(arguments: [47, 0] as [UInt64]) func unlistedNumberHasNoFileSystem(device: UInt64) {
        #expect(MountedFileSystem(device: device, in: Self.table) == nil)
        #expect(MountedFileSystem(device: device, in: "") == nil)
    }
}
