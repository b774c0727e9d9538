import Foundation

extension AccountID {
    /// True if it names its server, as the ids of entries for a former address do.
    package var namesItsServer: Bool {
        // An email address may contain "@http://" too, but then an "@" follows, which no host contains.
        ["@http://", "@https://"].contains { mark in
            rawValue.components(separatedBy: mark).dropFirst().contains { rest in !rest.prefix { $0 != "/" }.contains("@") }
        }
    }
}
