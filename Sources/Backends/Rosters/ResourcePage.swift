import Foundation
import JSON
import SyncModel

/// One page of a resource. Holds nothing else of the answer.
package struct ResourcePage: Equatable, Sendable {
    package var rows: [RosterRow]
    /// The number of rows in the whole list; nil without `pages`.
    package var total: Int?
    /// Rows left out, because they lack a usable id or have a value twice.
    package var nameless: Int
    /// For `If-None-Match`; nil if missing or too long.
    package var etag: String?

    package init(rows: [RosterRow], total: Int? = nil, nameless: Int = 0, etag: String? = nil) {
        (self.rows, self.total, self.nameless, self.etag) = (rows, total, nameless, etag)
    }
}

package enum ResourceAnswer: Equatable, Sendable {
    case page(ResourcePage)
    /// The page is as it was with the sent ETag.
    case unchanged
    /// The row of the parent has gone since its list was read.
    case gone
    /// A declared answer, or the status 401, says that the session is the cause.
    case unauthorized(Failure)
    /// 429, or 503 with Retry-After.
    case throttled(Failure, until: Date)
    case failed(Failure)
}

extension Backend {
    /// Messages never repeat a row.
    package func answer(to resource: Resource, _ response: InboundResponse, sentETag: String?, now: Date) -> ResourceAnswer {
        if let sentETag, response.confirms(sentETag) { return .unchanged }
        if let interception = interception(in: response) { return .failed(interception) }
        if resource.isGone(response, errors: profile.errors) { return .gone }
        guard response.isSuccess, !saysFailure(response) else { return refusal(response, now: now) }
        func unusable(_ words: String) -> ResourceAnswer {
            .failed(Failure(.profile, status: response.status, "\(name) answered with a list of \(resource.title.many) \(words)."))
        }
        guard let rows = response.json?.rows(of: resource.list, [resource.id] + resource.label + resource.keep) else {
            return unusable("that is not where the profile expects it")
        }
        let total = resource.pages?.totalRows(in: response)
        if resource.pages != nil, total == nil { return unusable("without the total number of rows") }
        let usable = rows.compactMap { RosterRow($0, of: resource) }
        let etag = response[header: "ETag"].flatMap { $0.isFieldValue && $0.utf8.count <= Self.longestETag ? $0 : nil }
        return .page(ResourcePage(rows: usable, total: total, nameless: rows.count - usable.count, etag: etag))
    }

    /// In bytes.
    private static let longestETag = 256

    private func refusal(_ response: InboundResponse, now: Date) -> ResourceAnswer {
        // A success that says it failed may still contain rows.
        let message = response.isSuccess ? sentence(response) : message(of: response)
        if profile.errors.endsSession(response) { return .unauthorized(Failure(.signInRequired, status: response.status, message)) }
        guard !response.isSuccess else { return .failed(Failure(.refused, status: response.status, message)) }
        switch refusal(response, route: nil, at: now) {
        case .unauthorized(let failure): return .unauthorized(failure)
        case .throttled(var failure, let until):
            // The message outlives the sign-out, and the server's words may repeat a row.
            failure.message = sentence(response)
            return .throttled(failure, until: until)
        case let verdict: return .failed(verdict.failure ?? Failure(.refused, status: response.status, message))
        }
    }
}

extension Resource {
    /// True if the parent's row is gone. Anything but JSON may come from a gateway.
    fileprivate func isGone(_ response: InboundResponse, errors: ErrorRules) -> Bool {
        guard parent != nil, (400..<500).contains(response.status), response.isJSON, !errors.endsSession(response) else { return false }
        return response.status == 404 || errors.code(of: response).map(gone.contains) == true
    }
}

extension InboundResponse {
    /// True for a 304 to a request with this tag (RFC 9110 13.1.2, weak comparison). A proxy's 304 may name another version.
    fileprivate func confirms(_ etag: String) -> Bool {
        func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
        guard status == 304, self[header: "Location"] == nil else { return false }
        return self[header: "ETag"].map { opaque($0) == opaque(etag) } ?? true
    }
}

extension RosterRow {
    /// `values` are the id, the label's parts and the kept values. Nil without a usable id.
    fileprivate init?(_ values: [JSONValue?], of resource: Resource) {
        guard let id = values[0]?.identifier, id.utf8.count <= Resource.mostIDBytes, !id.unicodeScalars.contains(where: \.isSteering)
        else { return nil }
        let label = Self.label(values[1...resource.label.count]) ?? id
        let kept = values[(1 + resource.label.count)...].map { value -> JSONValue in
            guard let value, let text = value.text, text.utf8.count <= Resource.mostKeptBytes else { return .null }
            return value
        }
        self.init(id: RosterID(id), label: label, folded: label.folded, kept: kept)
    }

    /// One line that cannot disguise another; nil without texts and numbers.
    static func label(_ parts: some Sequence<JSONValue?>) -> String? {
        let words = parts.compactMap { part -> String? in
            switch part {
            case .string(let text)?, .number(let text)?: text.plain
            case .int(let number)?: String(number)
            case .null?, .bool?, .array?, .object?, nil: nil
            }
        }
        let line = words.filter { !$0.isEmpty }.joined(separator: " ").prefix(Resource.longestLabel)
        return line.isEmpty ? nil : String(line)
    }
}

extension String {
    /// The text without control characters, bidirectional controls and surrounding white space. Limits the scalars, because a character may
    /// have any number.
    fileprivate var plain: String {
        let scalars = unicodeScalars.prefix(5 * Resource.longestLabel).map { $0.isSteering ? " " : $0 }
        return String(String.UnicodeScalarView(scalars)).trimmingCharacters(in: .whitespaces)
    }
}
