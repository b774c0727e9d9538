import Testing

@testable import Backends

@Suite struct OriginTests {
    @Test(arguments: [
        ("https://api.lab.test/x", true), ("https://api.lab.test/", true), ("https://api.lab.test", true),
        ("https://api.lab.test?a=/", true), ("HTTPS://API.lab.test/x", true), ("https://api.lab.test:443/x", true),
        ("https://api.lab.test:8443/x", false), ("http://api.lab.test/x", false), ("https://api.lab.test.evil.test/", false),
        ("https://api.lab.test@evil.test/", false), ("https://anna@api.lab.test/", false),
        ("https://evil.test/https://api.lab.test/", false),
        ("", false),
    ])
    func recognisesItsURLs(url: String, isOwn: Bool) throws {
        #expect(try #require(Origin("https://api.lab.test")).isOrigin(of: url) == isOwn)
    }

    @Test func recognisesItsPort() throws {
        let origin = try #require(Origin("http://127.0.0.1:8080"))
        #expect(origin.isOrigin(of: "http://127.0.0.1:8080/x"))
        #expect(!origin.isOrigin(of: "http://127.0.0.1:80801/x") && !origin.isOrigin(of: "http://127.0.0.1/x"))
    }
}
