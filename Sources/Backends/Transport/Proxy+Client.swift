import AsyncHTTPClient
import Foundation

extension Proxy {
    var setting: HTTPClient.Configuration.Proxy {
        let bare = host.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard let user else { return .server(host: bare, port: port) }
        return .server(host: bare, port: port, authorization: .basic(username: user, password: password?.revealed ?? ""))
    }
}
