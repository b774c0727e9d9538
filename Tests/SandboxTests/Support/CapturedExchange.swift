import Foundation
import Sandbox
import Testing

struct CapturedAnswer: Sendable, Equatable {
    let status: Int
    let contentType: String?
    let location: String?
    /// Cookie names and attributes without values; nil if not captured.
    let setCookies: Set<String>?
    /// Nil if not captured.
    let cacheControl: String?
    let hasTag: Bool
    let body: String

    /// Later labels were captured without cookies.
    private static let lastLabelWithCookies = "no content type JSON body"

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

    fileprivate init(_ lines: ArraySlice<String>, showsCookies: Bool) {
        let head = lines.prefix { !$0.isEmpty }
        func values(_ name: String) -> [String] {
            head.filter { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        status = Int(head.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        contentType = values("content-type").first
        location = values("location").first
        setCookies = showsCookies ? Set(values("set-cookie").map(Self.plainCookie)) : nil
        cacheControl = values("cache-control").first
        hasTag = !values("etag").isEmpty
        let text = lines.dropFirst(head.count + 1).first ?? ""
        body = text == "(empty)" ? "" : text
    }

    /// `NAME=…; path=/; httponly` without the value and the `expires` time.
    static func plainCookie(_ line: String) -> String {
        let parts = line.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        let name = parts.first?.prefix { $0 != "=" } ?? ""
        let attributes = parts.dropFirst().map { $0.lowercased().hasPrefix("expires=") ? "expires" : $0.lowercased() }
        return ([String(name)] + attributes).joined(separator: "; ")
    }
}

struct CapturedExchange: Sendable {
    let label: String
    let method: String
    let path: String
    let body: String?
    let answer: CapturedAnswer

    /// All exchanges in file order: a label, the request line, `> ` before a body, the answer.
    static func read(_ text: String) throws -> [CapturedExchange] {
        try text.components(separatedBy: "\n## ").dropFirst().map { section in
            let lines = section.components(separatedBy: "\n")
            let words = lines[1].split(separator: " ").map(String.init)
            let start = try #require(lines.firstIndex { $0.hasPrefix("HTTP/1.1 ") }, "\(lines[0])")
            return CapturedExchange(
                label: lines[0], method: words[0], path: words[1],
                body: lines[2].hasPrefix("> ") ? String(lines[2].dropFirst(2)) : nil,
                answer: CapturedAnswer(lines[start...], showsCookies: false))
        }
    }
}

extension LabAnswer {
    func differences(from expected: CapturedAnswer, host: String) -> [String] {
        var differences: [String] = []
        func compare<Value: Equatable>(_ what: String, _ actual: Value, _ expected: Value) {
            if actual != expected { differences.append("\(what) is \(actual), not \(expected)") }
        }
        compare("status", status, expected.status)
        compare("content-type", contentType, expected.contentType)
        compare("location", location, expected.location?.replacing("HOST", with: host))
        if let cacheControl = expected.cacheControl {
            compare("cache-control", header("cache-control"), cacheControl)
            compare("etag", header("etag") != nil, expected.hasTag)
        }
        if let cookies = expected.setCookies { compare("set-cookie", Set(setCookies.map(CapturedAnswer.plainCookie)), cookies) }
        if expected.body == "(an HTML page)" {
            compare("body starts", String(text.prefix(15)), "<!DOCTYPE html>")
        } else if expected.body.isEmpty {
            compare("body", text, "")
        } else {
            do {
                differences += try JSONShape(expected.body).differences(to: json())
            } catch {
                differences.append("the body is not JSON: \(text)")
            }
        }
        return differences
    }
}
