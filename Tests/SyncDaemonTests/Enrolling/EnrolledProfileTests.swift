import Testing

@testable import SyncDaemon

@Suite struct EnrolledProfileTests {
    private static let profile = "# A profile.\nbase_url: https://a.test\nroutes: {}\n"

    @Test func installedAddressLeavesTheProfileAsItIs() {
        #expect(EnrolledProfile.text(Self.profile, at: "https://a.test") == Self.profile)
        #expect(!EnrolledProfile.isUnedited(Self.profile))
    }

    @Test func everyEditIsFound() {
        let text = EnrolledProfile.text(Self.profile, at: "https://b.test")
        #expect(text.hasSuffix("\n# A profile.\nbase_url: https://b.test\nroutes: {}\n"))
        #expect(EnrolledProfile.isUnedited(text))
        let edited = [
            text + "# ours\n", "# ours\n" + text, text.replacing("b.test", with: "c.test"), text.replacing("SHA", with: "sha"),
            String(text.dropLast()), "", "\n",
        ]
        for text in edited { #expect(!EnrolledProfile.isUnedited(text), "\(text)") }
    }
}
