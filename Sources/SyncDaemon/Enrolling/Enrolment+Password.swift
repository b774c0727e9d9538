import Backends
import ControlAPI
import Files
import Foundation

extension Enrolment.Account {
    /// True if there is nothing to do. Throws if another account is signed in.
    func isSignedIn(_ session: SessionReport) throws(StartError) -> Bool {
        guard session.isSignedIn else { return false }
        if let present = session.email, present.lowercased() != email.lowercased() {
            throw StartError(
                "Expected \(email) at \(session.backend), where \(present) is signed in. "
                    + "To sign out, run: homing logout --backend \(session.backend)")
        }
        return session.remembered || !isRemembered
    }
}

extension Enrolment.Password {
    /// The password, from its file if it has one. The file is root's, and no other user can read it.
    func read() throws(StartError) -> Secret {
        switch self {
        case .text(let secret): return secret
        case .file(let path): return try Self.read(path)
        }
    }

    private static func read(_ path: String) throws(StartError) -> Secret {
        let file: OpenFile
        let content: Data
        do {
            file = try DurableFile(path: path).opened()
            content = try file.content(atMost: 4096)
        } catch {
            throw StartError("Expected a file with the password, of at most 4096 bytes, and no link: \(path)")
        }
        guard file.isOwned else { throw StartError("Expected a password file that belongs to root. Run: chown root \(path)") }
        guard file.mode & 0o077 == 0 else {
            throw StartError("Expected a password file that only its owner can read. Run: chmod 600 \(path)")
        }
        let text = String(data: content, encoding: .utf8)?.trimmingCharacters(in: .newlines) ?? ""
        guard !text.isEmpty else { throw StartError("Expected a password in UTF-8 text in the file \(path)") }
        return Secret(text)
    }
}
