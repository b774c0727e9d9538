import HTTPTypes

/// The parameters of a request as Rails reads them: the query, then a JSON or form body; a body without a type is not read.
enum BreatheSafeParameters {
    /// Throws what Rails answers to a body that it cannot parse.
    static func read(_ request: SandboxRequest) throws(RailsException) -> JSONObject {
        let query = request.query.mapValues { JSON.string($0) }
        guard !request.body.isEmpty else { return query }
        if request.hasBody(of: "application/json") {
            let body: JSON
            do { body = try JSON(bytes: request.body, grammar: .ruby).withoutNullElements } catch { throw .badRequest }
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

    /// The request as Rack hands it on: a POST may say in a form, or in a header, which method it stands for.
    var withRackMethod: SandboxRequest {
        guard method == "POST", let other = form["_method"]?.text ?? header("X-HTTP-Method-Override") else { return self }
        return with(method: other.uppercased())
    }

    /// The same with another method.
    func with(method: String) -> SandboxRequest {
        SandboxRequest(method: method, path: path, query: query, headers: headers, host: host, body: body)
    }
}
