import Glibc
import Testing

@testable import homing_torture

@Suite struct LastWordsTests {
    private let places = ["/s/state", "/s/homing.sock"]

    @Test(arguments: [
        "homingd: Could not write /s/state/homing.key: Input/output error.\n",
        "homingd: The store /s/state/outbox.sqlite cannot be read or written: SQLite error 10: disk I/O error. Check the disk.\n",
        "2026-01-01T00:00:00+0000 info homingd: Homing is up\nhomingd: Cannot open the socket /s/homing.sock: Input/output error.\n",
    ])
    func acceptsMessagesWithPathAndReason(said: String) {
        #expect(LastWords(of: said).problem(places: places, reasons: LastWords.reasons(of: EIO, in: "fsync")) == nil)
    }

    @Test(arguments: [
        ("2026-01-01T00:00:00+0000 info homingd: Homing is up in /s/state: Input/output error\n", "why"),
        ("homingd: No space left on device\n", "where"),
        ("homingd: /s/state/spool cannot be created, read or written. Check its owner and permissions.\n", "what"),
        ("homingd: /s/state/spool cannot be written: No space left on device.\n", "what"),
        ("homingd: /s/state/lock: Input/output error (NSCocoaErrorDomain error 512).\n", "Domain"),
        ("", "why"),
    ])
    func rejectsIncompleteOrTechnicalMessages(said: String, lack: String) {
        let problem = LastWords(of: said).problem(places: places, reasons: LastWords.reasons(of: EIO, in: "fsync"))
        #expect(problem?.contains(lack) == true, "\(problem ?? "nothing")")
    }

    /// A failing disk is not full, and a full disk is not damaged.
    @Test(arguments: [("is full. Make room", EIO, false), ("is full. Make room", EDQUOT, true), ("is damaged", ENOSPC, false)])
    func acceptsOnlyTheReasonOfTheError(words: String, error: Int32, isRight: Bool) {
        let said = "homingd: The disk of /s/state \(words).\n"
        let problem = LastWords(of: said).problem(places: places, reasons: LastWords.reasons(of: error, in: "pwrite64"))
        #expect((problem == nil) == isRight, "\(problem ?? "nothing")")
    }
}
