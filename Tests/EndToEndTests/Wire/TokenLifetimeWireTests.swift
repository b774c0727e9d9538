import ControlAPI
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct TokenLifetimeWireTests {
    static let lifetimes = [
        #""Infinity""#, #""-Infinity""#, #""NaN""#, #""1e999""#, "1e308", "-1e308", "-1", "0", #""9999999999999999999999""#,
        "true",
    ]

    @Test(arguments: lifetimes) func acceptsTokensWithAnyLifetime(lifetime: String) async throws {
        let refreshed = Mutex(0)
        let server = try await ScriptedServer { request in
            let claims = Data(#"{"sub":"1","iat":1000,"exp":\#(lifetime)}"#.utf8).base64EncodedString().replacing("=", with: "")
            switch request.line {
            case "POST /login", "POST /refresh":
                if request.line == "POST /refresh" { refreshed.withLock { $0 += 1 } }
                return .init(200, #"{"id":1,"access":"h.\#(claims).s","refresh":"r","expires_in":\#(lifetime)}"#)
            case "POST /notes" where refreshed.withLock { $0 } > 0: return .init(201, #"{"id":7}"#)
            default: return .init(401, #"{"error":"signed out"}"#)
            }
        }
        let station = try WireStation(server)
        try await station.running(WireProfile.tokens) {
            #expect(try await station.signIn().state == "signedIn")
            try await station.submit(1)
            try await station.passTime { try await station.delivered() == 1 }
        }
        await server.stop()
    }
}
