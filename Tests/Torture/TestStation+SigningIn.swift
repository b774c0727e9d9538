import ControlAPI
import Sandbox
import StationSupport

extension TestStation {
    /// Signs the manager in; breathesafe remembers the password.
    func signIn(_ backend: String) async throws {
        _ = try await client.call(
            Endpoints.signIn,
            SignIn(
                backend: backend, email: "manager@lab.test", password: BreatheSafeConfiguration.labPassword,
                remember: backend == "breathesafe"))
    }
}
