import ControlAPI
import Foundation
import Testing
import Yams

/// The words that programs act on are those of the OpenAPI file.
@Suite struct ReportWordsTests {
    private static let table: [(schema: String, property: String, known: Set<String>)] = [
        ("SessionReport", "state", known(SessionReport.State.self)),
        ("SessionReport", "signInBy", known(SessionReport.SignInMeans.self)),
        ("BackendReport", "gate", known(BackendReport.Gate.self)),
        ("SignOutReport", "server", known(SignOutReport.Server.self)),
        ("RosterReport", "state", known(RosterReport.State.self)),
        ("ReceiptReport", "outcome", known(ReceiptReport.Outcome.self)),
        ("Attention", "code", known(Attention.Code.self)),
        ("Finding", "check", known(Finding.Check.self)),
        ("Finding", "state", known(Finding.State.self)),
        ("Explanation", "cause", known(Explanation.Cause.self)),
        ("StuckFile", "cause", known(SpoolReport.StuckFile.Cause.self)),
        ("RosterReport", "reason", known(RosterReport.Reason.self)),
        ("RosterTitle", "kind", known(RosterTitle.Kind.self)),
    ]

    private static func known<Word: ReportWord>(_ type: Word.Type) -> Set<String> {
        Set(type.allCases.map(\.rawValue)).subtracting([Word.unknown.rawValue])
    }

    @Test(arguments: table.indices) func reportWordsMatchOpenAPIFile(row: Int) throws {
        let (schema, property, known) = Self.table[row]
        let description = try Description()
        let node = try #require(description.schemas[Node(schema)])
        let described = description.texts(node["properties"]?[property]?["x-extensible-enum"])
        #expect(described.count > 1 && Set(described) == known)
    }

    @Test func wordOfNewerDaemonIsUnknownAndIsKept() throws {
        let json = Data(#"{"backend":"b","remembered":false,"signInBy":"passkey","state":"suspended"}"#.utf8)
        let report = try JSONCoding.decoder.decode(SessionReport.self, from: json)
        #expect(report.knownState == .unknown && report.knownSignInMeans == .unknown && !report.isSignedIn)
        #expect(JSONCoding.encoded(report) == json)
    }

    @Test func knownWordMapsToItsCase() {
        #expect(SessionReport(backend: "b", state: "signInRequired").knownState == .signInRequired)
        #expect(SessionReport(backend: "b", state: "signedIn").isSignedIn)
        #expect(SessionReport(backend: "b", state: "signedOut").knownSignInMeans == .unknown)
        let item = Attention(.storeDamaged, "t", next: "n")
        #expect(item.code == "store-damaged" && item.knownCode == .storeDamaged)
    }
}
