import Foundation

/// The secrets of one run of the dashboard. All are random, 256 bits, and valid until the program ends.
struct Keys: Sendable {
    /// The first component of every path. A browser sends the cookie only to paths below it: cookies are shared by all ports of a host, and another
    /// user's program may listen on one of them.
    let place: String
    /// In the printed address; opens one session.
    let token: String
    /// The value of the cookie.
    let session: String
    /// In every form.
    let form: String
    /// In every page and event, and never sent back: it opens nothing, but a program that takes the port afterwards cannot know it.
    let run: String

    init() {
        (place, token, session, form, run) = (Self.random(), Self.random(), Self.random(), Self.random(), Self.random())
    }

    private static func random() -> String {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        return Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Takes the same time wherever the first difference is.
    static func isEqual(_ a: String?, _ b: String) -> Bool {
        guard let a, a.utf8.count == b.utf8.count else { return false }
        return zip(a.utf8, b.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
