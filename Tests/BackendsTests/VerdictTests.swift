import Backends
import Foundation
import SyncModel
import Testing

struct Judged: Sendable, CustomTestStringConvertible {
    let status: Int
    let body: String
    let verdict: String
    var route = "measurement"
    var type = "application/json"
    var headers: [HeaderField] = []

    init(
        _ status: Int, _ body: String, _ verdict: String, route: String = "measurement", type: String = "application/json",
        _ headers: HeaderField...
    ) {
        (self.status, self.body, self.verdict, self.route, self.type, self.headers) = (status, body, verdict, route, type, headers)
    }

    static func page(_ status: Int, _ verdict: String, route: String = "measurement") -> Judged {
        Judged(status, "<html>Sign in</html>", verdict, route: route, type: "text/html")
    }

    var testDescription: String { "\(route) \(status) \(type) \(body.prefix(40)) → \(verdict)" }
}

struct VerdictTests {
    @Test(arguments: [
        Judged(201, #"{"facial_measurement":{"id":7},"messages":[]}"#, "accepted"),
        Judged(200, #"{"facial_measurement":{"id":"7"}}"#, "accepted"),
        Judged(201, #"{"facial_measurement":{"id":null}}"#, "unknown"),
        Judged(201, #"{"facial_measurement":{}}"#, "unknown"),
        Judged(200, "[]", "unknown"),
        Judged(201, "", "intercepted"),
        Judged(204, "", "intercepted"),
        .page(200, "intercepted"),
        Judged(200, "{\"facial_measurement\":{\"id\":7}", "intercepted"),
        Judged(200, #"{"facial_measurement":{"id":7}}"#, "intercepted", type: "text/plain"),
        Judged(302, "", "intercepted"), .page(301, "intercepted"), Judged(304, "{}", "intercepted"), Judged(308, "", "intercepted"),
        .page(511, "intercepted"), Judged(511, "{}", "intercepted"), .page(407, "intercepted"),
        Judged(401, #"{"messages":["Unauthorized."]}"#, "unauthorized"),
        Judged(401, #"{"error":"Your session expired. Please sign in again to continue."}"#, "unauthorized"),
        Judged(422, #"{"messages":["Please log in."]}"#, "unauthorized"),
        Judged(422, #"{"messages":["PLEASE LOG IN."]}"#, "unauthorized"),
        Judged(422, #"{"messages":["Not managed by current user."]}"#, "permanent"),
        // The declared code does not apply to server errors.
        Judged(502, #"{"messages":["Not managed by current user."]}"#, "transient"),
        // These are undeclared, so only contrast shows whether the entry or the backend is at fault.
        Judged(422, #"{"status":422,"error":"Unprocessable Content"}"#, "transient"),
        Judged(404, #"{"status":404,"error":"Not Found"}"#, "transient"),
        Judged(403, "{}", "transient"), .page(403, "intercepted"), .page(401, "intercepted"),
        Judged(500, #"{"status":500,"error":"Internal Server Error"}"#, "unknown"), .page(500, "unknown"), .page(406, "unknown"),
        .page(500, "transient", route: "profile"), Judged(406, "{}", "transient", route: "profile"),
        Judged(429, "{}", "throttled"), .page(429, "throttled"), .page(503, "transient"),
        Judged(503, "{}", "throttled", HeaderField("Retry-After", "5")),
        Judged(500, "{}", "unknown", HeaderField("Retry-After", "5")),
        Judged(502, "{}", "transient"), .page(504, "transient"), .page(599, "transient"),
        Judged(408, "{}", "transient"), Judged(421, "{}", "transient"), Judged(423, "{}", "locked"), .page(423, "locked"),
        Judged(425, "{}", "transient"),
        Judged(400, "{}", "transient"), Judged(405, "{}", "transient"), Judged(409, "{}", "transient"), Judged(410, "{}", "transient"),
        Judged(413, "{}", "transient"), Judged(415, "{}", "transient"), Judged(451, "{}", "transient"), Judged(501, "{}", "transient"),
        .page(400, "transient"), .page(404, "transient"), .page(413, "transient"), .page(422, "transient"), .page(501, "transient"),
        Judged(200, #"{"profile":{"id":8},"messages":[]}"#, "accepted", route: "profile"), Judged(200, "{}", "unknown", route: "profile"),
        Judged(200, #"{"profile":null}"#, "unknown", route: "profile"), Judged(204, "", "intercepted", route: "profile"),
    ])
    func mapsAnswersToVerdicts(answered: Judged) throws {
        let response = InboundResponse(
            status: answered.status, headers: [HeaderField("content-type", answered.type)] + answered.headers,
            body: Data(answered.body.utf8))
        let verdict = try breathesafe().verdict(on: response, to: mutation(answered.route), at: noon)
        #expect(verdict.name.rawValue == answered.verdict, "\(verdict)")
        #expect(verdict.failure?.status == (verdict.failure == nil ? nil : answered.status))
        // A success without the promised content and a server error leave the outcome unknown (RFC 9110 15.6).
        let isOpen =
            answered.verdict == "unknown" || answered.status < 300 || (500..<600).contains(answered.status) && answered.status != 511
        #expect(verdict.failure?.outcomeUnknown == (verdict.failure.map { _ in isOpen }))
        #expect(verdict.failure?.message.isEmpty != true)
    }

    @Test(arguments: [
        ("aiphoto", "register", #"{"success":true,"data":{"id":1},"meta":{}}"#, "accepted"),
        ("aiphoto", "register", "{}", "unknown"),
        ("aiphoto", "process_image", #"{"success":true}"#, "unknown"),
        ("aiphoto", "purchase", #"{"success":true,"data":null}"#, "unknown"),
        ("aiphoto", "purchase", #"{"success":false,"data":{}}"#, "transient"),
        ("labloop", "appointment", #"{"success":true,"data":{"_id":"66f0"}}"#, "accepted"),
        ("labloop", "appointment", "{}", "unknown"), ("labloop", "appointment", #"{"success":true,"message":"ok"}"#, "unknown"),
        ("lists", "create_list", #"{"id":7,"name":"Bread"}"#, "accepted"), ("lists", "create_list", "{}", "unknown"),
        ("lists-2026", "create_list", #"{"id":7,"name":"Bread"}"#, "accepted"),
        ("lists-2026", "create_list", #"{"name":"Bread"}"#, "unknown"),
    ])
    func requiresPromisedContentOfSuccess(name: String, route: String, body: String, verdict: String) throws {
        let backend = try #require(try ShippedProfiles.backends().first { $0.name == name })
        #expect(backend.verdict(on: answer(201, body), to: mutation(route), at: noon).name.rawValue == verdict)
    }

    private func created(_ id: String?, _ backend: Backend? = nil) throws -> Verdict {
        let body = id.map { #"{"managed_user":{"managed_id":\#($0)}}"# } ?? #"{"managed_user":{}}"#
        return try (backend ?? breathesafe()).verdict(on: answer(201, body), to: mutation("create_managed_user", payload: nil), at: noon)
    }

    @Test(arguments: [("28", "28"), ("28.0", "28"), ("2.8e1", "28"), ("9223372036854775807", "9223372036854775807")])
    func createIsDeliveredWithTheNumberOfItsRow(id: String, remoteID: String) throws {
        #expect(try created(id) == .accepted(Receipt(remoteID: remoteID, status: 201, at: noon)))
    }

    /// Entries could never be sent for such an id, and the person may exist: sent again, there would be two.
    @Test(
        arguments: [
            nil, "null", "0", "-28", "28.5", #""28""#, #""anna""#, #""""#, "true", "[28]", #"{"id":28}"#, "9223372036854775808",
            "28.00000000000000000000001",
        ] as [String?])
    func createWithoutAUsableIDNeedsAPerson(id: String?) throws {
        let message = "breathesafe answered 201 without a usable id of the new row."
        #expect(try created(id) == .unknown(Failure(.refused, status: 201, message, outcomeUnknown: true)))
    }

    @Test func createWithoutPromisedContentNeedsAPerson() throws {
        let remoteID = "    remote_id: /managed_user/managed_id\n"
        let backend = try breathesafe(remoteID, "\(remoteID)    promises: /messages\n")
        guard case .unknown(let failure) = try created("28", backend) else { throw Failure(.profile, "it was accepted") }
        #expect(failure.reason == .refused && failure.outcomeUnknown)
    }

    /// Only a reference of the type integer makes the ids of a list numbers.
    @Test(
        arguments: [
            (#""k7""#, "k7"), ("28", "28"), ("18446744073709551616", "18446744073709551616"), ("0", nil), ("-1", nil), ("1.5", nil),
            (#"" k7""#, nil), (#""@0198c0de-0000-7000-8000-00000000000a""#, nil), (#""k\u202e7""#, nil), ("true", nil),
        ] as [(String, String?)])
    func createTakesTextsIfEntriesReferByText(id: String, remoteID: String?) throws {
        let text = shippedProfile.replacing("{type: integer, reference: managed_users}", with: "{reference: managed_users}")
        let verdict = try created(id, load(["breathesafe.yaml": text])[0])
        #expect((verdict == .accepted(Receipt(remoteID: remoteID, status: 201, at: noon))) == (remoteID != nil), "\(verdict)")
        if remoteID == nil { #expect(verdict.failure?.reason == .refused) }
    }

    /// Nothing refers to a measurement.
    @Test(arguments: ["0", "1.5", #""x""#]) func otherRoutesTakeAnyID(id: String) throws {
        let verdict = try breathesafe().verdict(on: answer(201, #"{"facial_measurement":{"id":\#(id)}}"#), to: mutation(), at: noon)
        #expect(verdict.name == .accepted)
    }

    @Test func receiptHasTheServersID() throws {
        let verdict = try breathesafe().verdict(on: answer(201, #"{"facial_measurement":{"id":7}}"#), to: mutation(), at: noon)
        #expect(verdict == .accepted(Receipt(remoteID: "7", status: 201, at: noon)))
    }

    @Test func quotesServerMessageOnOneLine() throws {
        let verdict = try breathesafe().verdict(on: answer(422, #"{"messages":["no\nmask"]}"#), to: mutation(), at: noon)
        #expect(verdict == .transient(Failure(.refused, status: 422, "breathesafe answered: no mask.")))
    }

    private func deleting(_ more: String = "") throws -> Backend {
        try breathesafe("\nroutes:\n", "\nroutes:\n  forget: {request: \"DELETE /things/{item.user_id}\"\(more)}\n")
    }

    @Test(arguments: [200, 202, 204, 205])
    func acceptsEmptySuccessIfDeclared(status: Int) throws {
        let backend = try deleting(", empty: true")
        let verdict = backend.verdict(on: InboundResponse(status: status), to: mutation("forget"), at: noon)
        #expect(verdict == .accepted(Receipt(remoteID: nil, status: status, at: noon)))
        #expect(backend.verdict(on: answer(200, "<html>", type: "text/html"), to: mutation("forget"), at: noon).name == .intercepted)
    }

    /// A framework's 404 for an unknown route says nothing about the row.
    @Test(arguments: [
        (404, #"{"messages":["Managed user does not exist."]}"#, "accepted"),
        (410, #"{"error":"Managed user does not exist."}"#, "accepted"),
        (410, #"{"error":"managed user does not exist."}"#, "transient"),
        (404, #"{"status":404,"error":"Not Found"}"#, "transient"), (404, "{}", "transient"),
        (422, #"{"messages":["Managed user does not exist."]}"#, "transient"),
        (500, #"{"messages":["Managed user does not exist."]}"#, "transient"),
    ])
    func acceptsOnlyDeclaredCodesAsGone(status: Int, body: String, name: String) throws {
        let backend = try deleting(", gone: [Managed user does not exist.]")
        #expect(backend.verdict(on: answer(status, body), to: mutation("forget"), at: noon).name.rawValue == name)
        let page = answer(status, "<html>Managed user does not exist.</html>", type: "text/html")
        #expect(backend.verdict(on: page, to: mutation("forget"), at: noon).name != .accepted)
    }

    @Test(arguments: [
        (#"{"ok":true,"error":"busy"}"#, "accepted"), (#"{"error":"busy"}"#, "accepted"), (#"{"ok":false,"error":"Busy"}"#, "transient"),
        (#"{"ok":false,"error":"Unauthorized."}"#, "unauthorized"), (#"{"ok":false,"error":"Not managed by current user."}"#, "permanent"),
        (#"{"ok":false}"#, "transient"),
    ])
    func flagInBodyOverridesStatus(body: String, name: String) throws {
        let profile = edited("errors:\n", "errors:\n  ok: /ok\n  retry: [busy]\n")
            .replacing("\nroutes:\n", with: "\nroutes:\n  forget: {request: \"DELETE /things/{item.user_id}\"}\n")
        let backend = try load(["breathesafe.yaml": profile])[0]
        #expect(backend.verdict(on: answer(200, body), to: mutation("forget"), at: noon).name.rawValue == name)
    }

    @Test(arguments: [(429, "throttled"), (503, "transient"), (400, "transient"), (500, "unknown")])
    func retryCodeOverridesStatus(status: Int, name: String) throws {
        let backend = try breathesafe("errors:\n", "errors:\n  retry: [busy]\n")
        #expect(backend.verdict(on: answer(status, #"{"error":"busy"}"#), to: mutation(), at: noon).name.rawValue == name)
    }

    @Test func conflictIsTransientWithIdempotencyKeys() throws {
        let backend = try breathesafe("schema: 1", "schema: 1\nidempotency: {header: Idempotency-Key}")
        #expect(backend.verdict(on: answer(409, "{}"), to: mutation(), at: noon).name == .transient)
    }

    @Test func ignoresLoginCodesOnRoutes() throws {
        let backend = try breathesafe("relogin: [", "relogin: [gone, ")
        #expect(backend.verdict(on: answer(400, #"{"error":"gone"}"#), to: mutation(), at: noon).name == .transient)
    }

    @Test(arguments: [
        ("5", nil as String?, 5.0), ("0", nil, 1), ("99999999999999999999999", nil, 21_600), ("21601", nil, 21_600), (" 7 ", nil, 7),
        ("soon", nil, 60), ("-5", nil, 60), ("1.5", nil, 60), ("", nil, 60),
        ("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 60),
        ("Sun, 06 Nov 1994 08:48:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 1),
        ("Mon, 07 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", 21_600),
        ("Sun, 06 Nov 1994 08:49:37 GMT", nil, 1),
        ("Sun, 06 Foo 1994 08:49:37 GMT", nil, 60),
    ])
    func readsBothFormsOfRetryAfter(value: String, date: String?, seconds: Double) throws {
        let headers = [HeaderField("Retry-After", value)] + (date.map { [HeaderField("Date", $0)] } ?? [])
        let verdict = try breathesafe().verdict(on: InboundResponse(status: 429, headers: headers), to: mutation(), at: noon)
        guard case .throttled(_, let until) = verdict else { throw Failure(.profile, "\(verdict)") }
        #expect(until == noon.addingTimeInterval(seconds))
    }

    @Test func lockedWaitsAsLongAsAsked() throws {
        let backend = try breathesafe()
        guard case .locked(let failure, nil) = backend.verdict(on: answer(423, "{}"), to: mutation(), at: noon) else {
            throw Failure(.profile, "not locked")
        }
        #expect(failure.message.contains("423"))
        let dated = backend.verdict(on: answer(423, "{}", HeaderField("Retry-After", "7")), to: mutation(), at: noon)
        guard case .locked(_, noon.addingTimeInterval(7)) = dated else { throw Failure(.profile, "\(dated)") }
    }

    @Test func throttlingWithoutTimeLastsAMinute() throws {
        guard case .throttled(_, let until) = try breathesafe().verdict(on: answer(429, "{}"), to: mutation(), at: noon) else {
            throw Failure(.profile, "not throttled")
        }
        #expect(until == noon.addingTimeInterval(60))
    }
}
