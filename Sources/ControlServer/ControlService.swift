/// The calls that a `ControlServer` answers.
package struct ControlService: Sendable {
    package let calls: [Call]
    /// Records that a call, named by method and path, was refused for lack of a role.
    let denied: @Sendable (_ call: String, _ peer: Peer) async -> Void

    package init(calls: [Call], denied: @escaping @Sendable (_ call: String, _ peer: Peer) async -> Void) {
        self.calls = calls
        self.denied = denied
    }
}
