import ControlAPI
import Testing

@testable import homing

@Suite struct FindingTextTests {
    @Test func eachFindingHasALineAndItsRemedy() {
        let findings = [
            Finding(.daemon, .ok, "homingd answers."),
            Finding(.versions, .warning, "homing is newer.", remedy: "Restart it."),
            Finding(.dropFolder, .problem, "2 files were refused.", remedy: "See them.\nThen move them."),
        ]
        #expect(
            FindingText(style: .plain).lines(findings) == """
                ✓ ok       daemon       homingd answers.
                ! warning  versions     homing is newer.
                                        → Restart it.
                ✗ problem  drop folder  2 files were refused.
                                        → See them.
                                        → Then move them.

                1 problem and 1 warning.
                """)
        #expect(FindingText(style: .plain).lines(Array(findings.prefix(1))).hasSuffix("\n\nAll is well."))
    }

    @Test func noteDoesNotCountAsAWarning() {
        let findings = [Finding(.role, .note, "anna may operate this station.", remedy: "Run it as root.")]
        #expect(
            FindingText(style: .plain).lines(findings) == """
                – note     role  anna may operate this station.
                                 → Run it as root.

                Nothing is wrong, but some checks did not run.
                """)
    }

    @Test func findingNamesItsBackendWhereThereAreSeveral() {
        let findings = ["a", "b"].map { Finding(.connection, .ok, "Homing can connect.", backend: $0) }
        let text = FindingText(style: .plain)
        #expect(text.lines(findings).contains("  b: Homing can connect.\n"))
        #expect(text.lines([findings[0]]).contains("  Homing can connect.\n"))
    }

    @Test func longFindingIsWrappedBesideItsName() {
        let long = Array(repeating: "words", count: 20).joined(separator: " ")
        let lines = FindingText(style: .plain, width: 60).lines([Finding(.key, .problem, long)]).split(separator: "\n")
        #expect(lines.count == 4 && lines.allSatisfy { $0.count <= 60 })
        #expect(lines[1].hasPrefix("                words"))
    }

    @Test func textCannotControlTheTerminal() {
        let finding = Finding(check: "new\u{1B}[2J", state: "odd\u{1B}", finding: "a\u{1B}[31m", remedy: "b\u{07}\nc")
        let text = FindingText(style: .plain).lines([finding])
        #expect(!text.unicodeScalars.contains { $0 != "\n" && $0.properties.generalCategory == .control })
    }
}
