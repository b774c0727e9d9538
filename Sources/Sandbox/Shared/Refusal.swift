import HTTPTypes

/// An error response; each backend writes it in its own format.
struct Refusal: Error, Equatable {
    let status: Int
    let code: String
    var message: String
    var details: JSON = .null
    var headers: HTTPFields = [:]

    init(_ status: Int, _ code: String, _ message: String, details: JSON = .null, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details
        self.headers = headers
    }
}
