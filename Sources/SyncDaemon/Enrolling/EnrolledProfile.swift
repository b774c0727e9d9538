import Foundation
import Vault

/// An installed profile with another address. Its first line shows whether a person has edited it since.
enum EnrolledProfile {
    /// The profile with this `base_url`; without a first line of its own if it is the installed one.
    static func text(_ profile: String, at baseURL: String) -> String {
        let changed = profile.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.hasPrefix("base_url:") ? "base_url: \(baseURL)" : String($0) }.joined(separator: "\n")
        return changed == profile ? profile : "\(firstLine(of: changed))\n\(changed)"
    }

    /// True for the text of a file that is as an enrolment has written it, with this or another version of the profile.
    static func isUnedited(_ text: String) -> Bool {
        guard let end = text.firstIndex(of: "\n") else { return false }
        return text[..<end] == firstLine(of: String(text[text.index(after: end)...]))
    }

    private static func firstLine(of rest: String) -> String {
        let digest = Vault.digest(Data(rest.utf8)).hex
        return "# Written by ‘homingd enroll’, which replaces this file only while its other lines have this SHA-256: \(digest)"
    }
}
