import SyncModel
import Testing

struct MutationIDDigestTests {
    @Test func idOfDigestIsOfVersionEight() {
        #expect(MutationID(digest: [UInt8](repeating: 0xff, count: 32)).description == "ffffffff-ffff-8fff-bfff-ffffffffffff")
        #expect(MutationID(digest: [UInt8](0..<16)).description == "00010203-0405-8607-8809-0a0b0c0d0e0f")
        #expect(MutationID(digest: [1]).description == "01000000-0000-8000-8000-000000000000")
    }
}
