import HTTPTypes

/// The parameters of a request as Rails reads them: the query, then a JSON or form body; a body without a type is not read.
enum BreatheSafeParameters {
    /// Throws what Rails answers to a body that it cannot parse.
    static func read(_ request: SandboxRequest) throws(RailsException) -> JSONObject {
        let query = request.query.mapValues { JSON.string($0) }
        guard !request.body.isEmpty, let type = request.headers[.contentType]?.lowercased() else { return query }
        if type.hasPrefix("application/json") {
            let body: JSON
            do { body = try JSON(bytes: request.body) } catch { throw .badRequest }
            return query.merging(body.members ?? ["_json": body]) { $1 }
        }
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return query.merging(FormBody.read(String(decoding: request.body, as: UTF8.self))) { $1 }
        }
        return query
    }
}
