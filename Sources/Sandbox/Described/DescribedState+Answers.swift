import Foundation
import HTTPTypes

extension DescribedState {
    /// A success with these values and the profile's success flag, if any.
    func success(_ status: Int, _ values: (pointer: String?, value: JSON)...) -> StandInReply { success(status, values) }

    func success(_ status: Int, _ values: [(pointer: String?, value: JSON)]) -> StandInReply {
        var body = JSON.object([:])
        if let flag = profile["errors"]?["ok"]?.text { body.put(true, at: flag) }
        for (pointer, value) in values { if let pointer { body.put(value, at: pointer) } }
        return .json(status, body)
    }

    func refusal(_ status: Int, for request: SandboxRequest) -> Refusal {
        let code = status == 401 ? profile["errors"]?["auth"]?.elements?.first?.text : nil
        return Refusal(status, code ?? "", status == 401 ? "not signed in" : SandboxResponse.reason(status))
    }

    /// Puts the message, then the code, at the profile's first pointers for them; without a pointer, the message goes to `/error`.
    func response(to refusal: Refusal, for request: SandboxRequest, at now: Date) -> SandboxResponse {
        let errors = profile["errors"]
        var body = JSON.object([:])
        if let flag = errors?["ok"]?.text { body.put(false, at: flag) }
        body.put(.string(refusal.message), at: errors?["message"]?.firstPointer ?? "/error")
        for (name, value) in refusal.details.members ?? [:] { body.put(value, at: "/\(name)") }
        if !refusal.code.isEmpty, let pointer = errors?["code"]?.firstPointer { body.put(.string(refusal.code), at: pointer) }
        return .json(refusal.status, body)
    }
}
