import Foundation
import Glibc
import Logging
import TestSupport
import Testing

@testable import SyncDaemon

@Suite struct JournalTests {
    @Test func encodesMultilineValueWithItsLength() {
        var record = JournalRecord()
        record.add("MESSAGE", "Up")
        record.add("HOMING_REASON", "one\ntwo")
        let length: [UInt8] = [7, 0, 0, 0, 0, 0, 0, 0]
        #expect(record.encoded() == Array("MESSAGE=Up\nHOMING_REASON\n".utf8) + length + Array("one\ntwo\n".utf8))
    }

    @Test func cutsLongValueBetweenCharacters() {
        var record = JournalRecord()
        record.add("A", "grüße")
        #expect(String(decoding: record.encoded(longest: 3), as: UTF8.self) == "A=gr…\n")
        #expect(String(decoding: record.encoded(longest: 4), as: UTF8.self) == "A=grü…\n")
        #expect(String(decoding: record.encoded(longest: 7), as: UTF8.self) == "A=grüße\n")
    }

    @Test(arguments: [
        ("backend", "HOMING_BACKEND"), ("hb.request.id", "HOMING_HB_REQUEST_ID"), ("größe", "HOMING_GR__E"), ("a1", "HOMING_A1"),
        (String(repeating: "x", count: 90), "HOMING_" + String(repeating: "X", count: 57)),
    ]) func keysBecomeFieldNames(key: String, name: String) {
        #expect(JournalRecord.name(for: key) == name)
    }

    @Test func mapsLevelsToSyslogPriorities() {
        #expect(Logger.Level.allCases.map(\.journalPriority) == [7, 7, 6, 5, 4, 3, 2])
    }

    private func fields(_ datagram: Data) -> [String] { String(decoding: datagram, as: UTF8.self).split(separator: "\n").map(String.init) }

    @Test func sendsMetadataAsFields() throws {
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(at: directory("journal"))
        let journal = try #require(Journal(path: directory("journal")))
        var log = Logger(label: "homingd") { _ in JournalLogHandler(journal: journal, logLevel: .info) }
        log[metadataKey: "station"] = "4"
        log.debug("Not told")
        log.warning("The gate has changed", metadata: ["backend": "breathesafe", "reason": "", "words": #"it said "no""#])
        let datagrams = receiver.datagrams
        #expect(datagrams.count == 1)
        let told = fields(try #require(datagrams.first))
        #expect(told.first == #"MESSAGE=The gate has changed: backend=breathesafe station=4 words="it said \"no\"""#)
        for field in [
            "PRIORITY=4", "HOMING_MESSAGE=The gate has changed", #"HOMING_WORDS=it said "no""#,
            "SYSLOG_IDENTIFIER=homingd", "HOMING_BACKEND=breathesafe",
            "HOMING_STATION=4", "HOMING_REASON=",
        ] { #expect(told.contains(field), "\(field)") }
        #expect(told.contains { $0.hasPrefix("CODE_FILE=") && $0.hasSuffix("JournalTests.swift") })
        #expect(told.contains { $0.hasPrefix("CODE_LINE=") } && told.contains { $0.hasPrefix("CODE_FUNC=") })
    }

    @Test func shortensMessageTooLargeForDatagram() throws {
        let directory = try TemporaryDirectory()
        let receiver = try DatagramReceiver(at: directory("journal"))
        let journal = try #require(Journal(path: directory("journal")))
        let log = Logger(label: "homingd") { _ in JournalLogHandler(journal: journal, logLevel: .info) }
        log.error("Too much", metadata: ["text": "\(String(repeating: "x", count: 300 << 10))"])
        let datagram = try #require(receiver.datagrams.first)
        let told = fields(datagram)
        #expect(told.contains("HOMING_MESSAGE=Too much"))
        #expect(told.contains { $0.hasPrefix("HOMING_TEXT=xxx") && $0.hasSuffix("x…") })
    }

    @Test func detectsStandardErrorByJournalStream() throws {
        let directory = try TemporaryDirectory()
        try directory.write("", to: "stream")
        let descriptor = open(directory("stream"), O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        let attributes = try FileManager.default.attributesOfItem(atPath: directory("stream"))
        let device = try #require(attributes[.systemNumber] as? Int)
        let here = "\(device):\(try #require(attributes[.systemFileNumber] as? Int))"
        #expect(Journal.isStandardError(environment: ["JOURNAL_STREAM": here], descriptor: descriptor))
        #expect(!Journal.isStandardError(environment: ["JOURNAL_STREAM": "\(device):1"], descriptor: descriptor))
        #expect(!Journal.isStandardError(environment: [:], descriptor: descriptor))
        #expect(!Journal.isStandardError(environment: ["JOURNAL_STREAM": here], descriptor: -1))
    }
}
