import ArgumentParser

enum BackendArgument: String, ExpressibleByArgument, CaseIterable {
    case breathesafe, labloop, aiphoto, lists
    case lists2026 = "lists-2026"
    case story16

    /// The token option of `homing login`; nil if people sign in with a password.
    var tokenOption: String? { self == .aiphoto ? "--refresh-token-stdin" : nil }

    func profileLines(_ url: String) -> [String] {
        switch self {
        case .labloop: ["base_url: \(url)/api"]
        case .aiphoto, .story16: ["base_url: \(url)", "vars: {api_key: any, idp: \(url), sts: \(url)}"]
        case .breathesafe, .lists, .lists2026: ["base_url: \(url)"]
        }
    }
}
