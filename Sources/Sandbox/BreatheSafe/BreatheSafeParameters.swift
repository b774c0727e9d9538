import HTTPTypes

/// Rails' request parameters: the query, then a JSON or form body; a body without a content type is ignored.
enum BreatheSafeParameters {
    /// Throws Rails' 400 if the body cannot be parsed.
    static func read(_ request: SandboxRequest) throws(RailsException) -> JSONObject {
        let query = request.query.mapValues { JSON.string($0) }
        guard !request.body.isEmpty else { return query }
        if request.hasBody(of: "application/json") {
            let body: JSON
            do { body = try JSON(ruby: request.body).withoutNullElements } catch { throw .badRequest }
            return query.merging(body.members ?? ["_json": body]) { $1 }
        }
        return query.merging(request.form) { $1 }
    }
}

extension SandboxRequest {
    fileprivate func hasBody(of type: String) -> Bool { headers[.contentType]?.lowercased().hasPrefix(type) == true }

    fileprivate var form: JSONObject {
        guard hasBody(of: "application/x-www-form-urlencoded") else { return [:] }
        return FormBody.read(String(decoding: body, as: UTF8.self))
    }

    /// Applies Rack's method override: a form field or a header of a POST names the method.
    var withRackMethod: SandboxRequest {
        guard method == "POST", let other = form["_method"]?.text ?? header("X-HTTP-Method-Override") else { return self }
        return with(method: other.uppercased())
    }

    func with(method: String) -> SandboxRequest {
        SandboxRequest(method: method, path: path, query: query, headers: headers, host: host, body: body)
    }
}
