/// How an attempt to hand a mail to a server ended. The texts are for the journal, and may have words of the server.
package enum MailOutcome: Equatable, Sendable {
    /// The server is now responsible for the mail (RFC 5321 4.2.5), but not for the recipients in `missed`.
    case accepted(missed: [String])
    /// The server refused it for now, or the connection broke. The server may have the mail if it was lost at the end.
    case failed(String)
    /// The server refused it for good.
    case refused(String)
    /// There was no connection.
    case unreachable(String)
}
