import Testing

@testable import Outbox

@Suite struct SpareRoomTests {
    private static let mebibyte: Int64 = 1 << 20
    private static let memory = ServiceMemory(unit: "homingd.service", limit: 1024 * mebibyte, used: 100 * mebibyte)

    private func room(free: Int64, mount: String? = "/run", _ memory: ServiceMemory? = SpareRoomTests.memory) -> SpareRoom {
        SpareRoom(total: 400 * Self.mebibyte, free: free * Self.mebibyte, mount: mount, memory: memory)
    }

    private func refusal(_ room: SpareRoom, _ size: Int64) throws -> BackupError {
        try #require(throws: BackupError.self) { try room.require(size * Self.mebibyte, in: "/run/homing") }
    }

    @Test func smallCopyFits() throws {
        try room(free: 390).require(300 * Self.mebibyte, in: "/run/homing")
        try room(free: 390, mount: nil, nil).require(300 * Self.mebibyte, in: "/tmp")
    }

    @Test func smallFileSystemInMemoryIsEnlarged() throws {
        let error = try refusal(room(free: 120), 300)
        #expect(
            error.sentence
                == "The store is gone, so Homing makes the backup in /run/homing first. It takes 300 MiB, and 120 MiB are free there.")
        #expect(
            error.next == """
                Do not stop or restart the daemon: only it has the captures. To make room, run the following, then repeat the command:
                sudo mount -o remount,size=612M /run
                """)
    }

    /// The kernel would end the daemon.
    @Test func limitOfTheServiceIsRaised() throws {
        let error = try refusal(room(free: 390), 1000)
        #expect(
            error.next.hasSuffix(
                """
                sudo mount -o remount,size=1042M /run
                sudo systemctl set-property --runtime homingd.service MemoryMax=1132M
                """), "\(error.next)")
        let enlarged = SpareRoom(total: 2000 * Self.mebibyte, free: 2000 * Self.mebibyte, mount: "/run", memory: Self.memory)
        #expect(try refusal(enlarged, 1000).sentence.hasSuffix("It takes 1000 MiB, and 924 MiB are free there."))
    }

    @Test func diskIsClearedByAPerson() throws {
        let error = try refusal(room(free: 120, mount: nil, nil), 300)
        #expect(
            error.next
                == "Do not stop or restart the daemon: only it has the captures. Free some space on that disk, then repeat the command.")
    }

    @Test func memoryOfAServiceIsReadFromItsControlGroup() {
        let use = "anon 1000\nfile 5000\nkernel 200\nshmem 30\nanon_thp 7\n"
        let group = "/system.slice/homingd.service"
        #expect(ServiceMemory(group: group, limit: "4096\n", use: use) == ServiceMemory(unit: "homingd.service", limit: 4096, used: 1230))
        #expect(ServiceMemory(group: group, limit: "max\n", use: use) == nil)
        #expect(ServiceMemory(group: "/user.slice/session-1.scope", limit: "4096\n", use: use) == nil)
    }
}
