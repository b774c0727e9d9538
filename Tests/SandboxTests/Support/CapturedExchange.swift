import Foundation
import Sandbox

/// One answer of the real backend as it was captured.
struct CapturedAnswer: Sendable, Equatable {
    let status: Int
    let contentType: String?
    let location: String?
    /// Names with attributes in lower case, without values; nil where cookies were not captured.
    let setCookies: Set<String>?
    let body: String

    /// Cookies were printed only up to this label.
    private static let lastLabelWithCookies = "no content type JSON body"

    /// All answers by label, with the labels in the order of the file.
    static func read(_ text: String) -> [(label: String, answers: [CapturedAnswer])] {
        var showsCookies = true
        return text.components(separatedBy: "\n## ").dropFirst().map { section in
            let lines = section.components(separatedBy: "\n")
            let starts = lines.indices.filter { lines[$0].hasPrefix("HTTP/1.1 ") }
            let answers = starts.enumerated().map { place, start in
                let end = place + 1 < starts.count ? starts[place + 1] : lines.endIndex
                return CapturedAnswer(lines[start..<end], showsCookies: showsCookies)
            }
            if lines[0] == lastLabelWithCookies { showsCookies = false }
            return (lines[0], answers)
        }
    }

    private init(_ lines: ArraySlice<String>, showsCookies: Bool) {
        let head = lines.prefix { !$0.isEmpty }
        func values(_ name: String) -> [String] {
            head.filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        status = Int(head.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        contentType = values("content-type").first
        location = values("location").first
        setCookies = showsCookies ? Set(values("set-cookie").map(Self.plainCookie)) : nil
        body = lines.dropFirst(head.count + 1).first ?? ""
    }

    /// `NAME=…; path=/; httponly` without the value, and without the time of `expires`.
    static func plainCookie(_ line: String) -> String {
        let parts = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let name = parts.first?.prefix { $0 != "=" } ?? ""
        let attributes = parts.dropFirst().map { $0.lowercased().hasPrefix("expires=") ? "expires" : $0.lowercased() }
        return ([String(name)] + attributes).joined(separator: "; ")
    }
}
