import ControlAPI
import Foundation
import Notifying
import TestSupport
import Testing

@testable import homing

@Suite struct NotifySendTests {
    private let directory: TemporaryDirectory
    init() throws { directory = try TemporaryDirectory() }

    @Test func bodyIsNeitherMarkupNorAnOption() {
        let message = NotifyMessage(title: "--help", body: "<b>Anna & Ben</b>\\n\u{1B}[2J")
        #expect(
            NotifySend.arguments(message)
                == ["--app-name=Homing", "--", "--help", "&lt;b&gt;Anna &amp; Ben&lt;/b&gt;\\\\n [2J"])
    }

    @Test func bodyKeepsItsLines() {
        let message = NotifyMessage(title: "a\nb", body: "It is full.\nThen run: systemctl reload homingd")
        #expect(NotifySend.arguments(message).suffix(2) == ["a b", "It is full.\nThen run: systemctl reload homingd"])
    }

    @Test func missingProgramIsNamedWithItsPackage() {
        let problem = #expect(throws: Problem.self) { try NotifySend(environment: ["PATH": directory.path]) }
        #expect(problem?.code == .invalidRequest && problem?.next?.contains("libnotify-bin") == true)
    }

    @Test func passesTheTextWithoutAShell() async throws {
        try directory.write("#!/bin/sh\nprintf '%s\\n' \"$@\" >\"$0.said\"\n", to: "notify-send")
        #expect(chmod(directory("notify-send"), 0o700) == 0)
        let send = try NotifySend(environment: ["PATH": directory.path])
        #expect(await send.show(NotifyMessage(title: "Anna's $(id)", body: "`id`; \"x\"")))
        let said = try String(contentsOfFile: directory("notify-send.said"), encoding: .utf8)
        #expect(said == "--app-name=Homing\n--\nAnna's $(id)\n`id`; \"x\"\n")
    }

    @Test func reportsAMissingDesktop() async throws {
        try directory.write("#!/bin/sh\nexit 1\n", to: "notify-send")
        #expect(chmod(directory("notify-send"), 0o700) == 0)
        let send = try NotifySend(environment: ["PATH": directory.path])
        #expect(await !send.show(NotifyMessage(title: "a", body: "b")))
    }
}
