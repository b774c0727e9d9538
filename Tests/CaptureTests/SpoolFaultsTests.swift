import Foundation
import Outbox
import SystemPackage
import Testing

@testable import Capture

@Suite struct SpoolFaultsTests {
    private static let file: FilePath = "/drop/new/a.json"

    @Test func logsEachCauseOfAFileOnce() {
        var faults = SpoolFaults()
        let causes: [StuckFile.Cause] = [.linked, .linked, .unreadable(opensByMode: true), .linked]
        let areLogged = causes.map { faults.note(Self.file, $0, exists: true) }
        #expect(areLogged == [true, false, true, true])
    }

    @Test(
        arguments: [
            (OutboxError.full, true, false),
            (OutboxError.overLimit(1), true, false),
            (IntakeError.outbox(.neverFits(1)), true, false),
            // The daemon logs and reports it.
            (OutboxError.gone("/outbox.sqlite"), false, false),
            (IntakeError.outbox(.gone("/outbox.sqlite")), false, false),
            (IntakeError.outbox(.storage("disk I/O error")), true, true),
            (SpoolFolders.UnusableFolder(path: "/drop/taken", error: .permissionDenied), true, true),
        ] as [(any Error, Bool, Bool)])
    func logsAndReportsAFailureOnce(error: any Error, isLogged: Bool, isReported: Bool) {
        var faults = SpoolFaults()
        let text = faults.stop(because: error)
        #expect((text != nil) == isLogged)
        #expect(faults.report.failure == (isReported ? text : nil))
        let again = faults.stop(because: error)
        #expect(again == nil)
        #expect((faults.report.failure != nil) == isReported)
    }

    @Test func logsAFailureAgainAfterASuccess() {
        var faults = SpoolFaults()
        let first = faults.stop(because: OutboxError.storage("disk I/O error"))
        faults.succeed()
        #expect(faults.report.failure == nil)
        let second = faults.stop(because: OutboxError.storage("disk I/O error"))
        #expect(first != nil && first == second)
    }

    @Test func logsTheLargeFileInsteadOfTheLackOfRoom() {
        var faults = SpoolFaults()
        faults.beginSweep()
        let isLogged = faults.note(Self.file, .overLimit(1), exists: true)
        let text = faults.stop(because: IntakeError.outbox(.overLimit(1)))
        #expect(isLogged && text == nil)
        // Now a small file has no room.
        faults.beginSweep()
        let other = faults.stop(because: IntakeError.outbox(.overLimit(2)))
        #expect(other != nil)
    }

    @Test func countsAllFilesBehindALargeOneWithoutRoomInThisSweep() {
        var faults = SpoolFaults()
        faults.beginSweep()
        _ = faults.note("/drop/new/a.json", .linked, exists: true)
        _ = faults.note("/drop/new/b.json", .link, exists: true)
        _ = faults.note("/drop/taken/c.json", .diskFull(needs: 1), exists: true)
        _ = faults.end(stopped: true, waiting: 7)
        // A link does not count as waiting.
        #expect((faults.report.stuck.count, faults.report.stuck.waiting) == (8, 7))
        #expect(faults.report.stuck.example?.cause == "disk-full")
        faults.beginSweep()
        _ = faults.end(waiting: 7)
        #expect((faults.report.stuck.count, faults.report.stuck.waiting) == (2, 1))
        #expect(faults.report.stuck.example?.cause == "linked")
    }

    @Test func forgetsFilesThatAreGone() {
        var faults = SpoolFaults()
        faults.beginSweep()
        _ = faults.note("/drop/new/linked", .linked, exists: true)
        _ = faults.note("/drop/new/link", .link, exists: true)
        _ = faults.note("/drop/new/folder", .folder, exists: true)
        faults.forgetUnfit(besides: ["/drop/new/folder": .folder])
        _ = faults.end()
        #expect((faults.report.stuck.count, faults.report.stuck.waiting) == (2, 1))
        _ = faults.end(gone: ["/drop/new/linked"])
        #expect((faults.report.stuck.count, faults.report.stuck.waiting) == (1, 0))
        #expect(faults.report.stuck.example?.cause == "folder")
    }

    @Test(
        arguments: [
            ([], false),
            // The sign-in is an event.
            ([.otherAccount("bob")], false),
            ([.otherAccount("bob"), .link], true),
            ([.system(.permissionDenied)], true),
            ([.unreadable(opensByMode: false)], true),
        ] as [([StuckFile.Cause], Bool)])
    func triesAgainUnlessOnlyASignInIsMissing(causes: [StuckFile.Cause], isRetried: Bool) {
        var faults = SpoolFaults()
        faults.beginSweep()
        for (number, cause) in causes.enumerated() { _ = faults.note(FilePath("/drop/new/\(number)"), cause, exists: true) }
        let pause = faults.end()
        #expect(pause == (isRetried ? SpoolFaults.pauses.lowerBound : nil))
    }

    /// Its folder may not have opened.
    @Test func triesAgainOnceIfAFileIsNotFound() {
        var faults = SpoolFaults()
        var pauses: [TimeInterval?] = []
        for cause in [StuckFile.Cause.system(.ioError), .link] {
            faults.beginSweep()
            let isLogged = faults.note(Self.file, cause, exists: false)
            #expect(!isLogged)
            pauses.append(faults.end())
        }
        #expect(pauses == [1, nil])
        #expect(faults.report.stuck.count == 0)
    }

    @Test func doublesThePauseUpToItsLimitUntilASweepSucceeds() {
        var faults = SpoolFaults()
        let pauses = [true, true, true, true, true, true, true, false, true].map { faults.end(stopped: $0) }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30, nil, 1])
    }
}

extension SpoolFaults {
    fileprivate mutating func end(stopped: Bool = false, waiting: Int = 0, gone: Set<FilePath> = []) -> TimeInterval? {
        endSweep(hasStopped: stopped, users: "/drop/new/users", waiting: { waiting }, exists: { !gone.contains($0) })
    }
}
