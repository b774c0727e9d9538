import ControlAPI
import Testing

@testable import homing

@Suite struct ClaimTextTests {
    private func notice(_ count: Int, account: String? = "manager@lab.test") -> Attention {
        Attention(.unclaimedFiles, "Files were dropped. Are they yours?", next: "To send them, run: homing claim", backend: "breathesafe")
            .stating { ($0.count, $0.account) = (count, account) }
    }

    private func status(_ attention: [Attention], unclaimed: Int = 0) -> Status {
        Sample.status(attention: attention, spool: SpoolReport(directory: "/spool", waiting: 0, refused: 0, unclaimed: unclaimed))
    }

    @Test func questionNamesFilesAccountAndFolder() {
        #expect(
            ClaimText.before(notice(3), status([], unclaimed: 3)) == """
                3 files were dropped while signed out, and are in /spool/unclaimed.
                They will belong to manager@lab.test at breathesafe, and Homing sends them. This cannot be undone.
                """)
        #expect(
            ClaimText.before(notice(1, account: "a\u{1B}[2J@b.c"), status([], unclaimed: 1)) == """
                1 file was dropped while signed out, and is in /spool/unclaimed.
                It will belong to a [2J@b.c at breathesafe, and Homing sends it. This cannot be undone.
                """)
    }

    @Test func questionNeedsNoFacts() {
        var old = notice(3)
        (old.facts, old.backend) = (nil, nil)
        let text = ClaimText.before(old, Sample.status(spool: nil))
        #expect(text.contains("in the folder ‘unclaimed’ of the drop folder.") && text.contains("belong to the signed-in account, and"))
        #expect(ClaimText.before(old, status([], unclaimed: 2)).hasPrefix("2 files were"))
    }

    @Test func onlyUnclaimedFilesAreAsked() {
        let other = Attention(.refusedFiles, "A file was refused.", next: "Drop it again.")
        #expect(ClaimText.notice(status([other])) == nil)
        #expect(ClaimText.notice(status([other, notice(2)])) == notice(2))
        #expect(ClaimText.question(status([notice(2)]), at: "other") == nil)
        let question = "Files were dropped. Are they yours? To send them, run: homing claim"
        #expect(ClaimText.question(status([notice(2)]), at: "breathesafe") == question)
    }
}
