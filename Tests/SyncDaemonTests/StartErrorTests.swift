import Backends
import ControlServer
import Foundation
import Outbox
import SyncModel
import Testing

@testable import SyncDaemon

@Suite struct StartErrorTests {
    private static let table: [(any Error, String)] = [
        (
            Mistakes([
                Mistake(
                    file: "homing.yaml", line: 3, key: "delivery.attempts", found: "9", expected: "a whole number from 1 to 3")
            ]),
            "The configuration has mistakes:\nhoming.yaml:3: delivery.attempts: expected a whole number from 1 to 3, found 9"
        ),
        (OutboxError.tooNew, "A newer version of Homing has written this store. Install that version again. Nothing was changed."),
        (
            OutboxError.isBackup,
            "The store is a backup that was not restored, so its entries could be sent twice. Move the file away, then run: homingd restore FILE"
        ),
        (OutboxError.full, "The disk is full. Make room and start again; nothing was lost."),
        (
            OutboxError.storage("disk I/O error"),
            "The store cannot be read or written: disk I/O error. Check the disk. Nothing was changed."
        ),
        (Failure(.profile, "The CA file cannot be read."), "The CA file cannot be read."),
        (StartError("Another daemon is already running."), "Another daemon is already running."),
        (SocketError.notASocket("/s"), "/s is not a socket. Move it away, or name another socket in the configuration."),
    ]

    @Test func fileSystemErrorNamesPathAndCause() throws {
        let error = try #require(
            #expect(throws: (any Error).self) {
                try FileManager.default.createDirectory(atPath: "/proc/self/status/new", withIntermediateDirectories: true)
            })
        let sentence = StartError.sentence(for: error)
        #expect(sentence.contains("/proc/self/status") && sentence.contains("cannot be created"), "\(sentence)")
        #expect(!sentence.contains("Domain"))
        #expect(sentence.contains("Not a directory"), "\(sentence)")
    }

    @Test func systemErrorOfFolderGivesNextStep() {
        func sentence(_ code: POSIXErrorCode) -> String {
            StartError.sentence(
                for: CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: "/s/spool", NSUnderlyingErrorKey: POSIXError(code)]))
        }
        #expect(
            sentence(.EACCES)
                == "/s/spool cannot be created, read or written: Permission denied. Check its owner and permissions, and those of its folder."
        )
        #expect(
            sentence(.EIO)
                == "/s/spool cannot be created, read or written: Input/output error. Check it, its folder and the disk."
        )
        #expect(
            sentence(.ENOSPC)
                == "/s/spool cannot be created, read or written: No space left on device. Make room and start again; nothing was lost.")
    }

    @Test func storeErrorNamesItsFile() {
        let store = "/s/outbox.sqlite"
        for error in [OutboxError.full, .storage("disk I/O error"), .damaged("its tables cannot be found")] {
            #expect(StartError.sentence(for: error, store: store).contains("the store /s/outbox.sqlite".dropFirst(4)), "\(error)")
        }
    }

    @Test(arguments: table.indices) func everyFatalErrorHasItsSentence(row: Int) {
        let (error, sentence) = Self.table[row]
        #expect(StartError.sentence(for: error) == sentence)
    }
}
