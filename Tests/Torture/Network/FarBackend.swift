import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A backend at the far end of a way on which lies are told: what is handed in for it, and what keeps that from taking effect twice.
struct FarBackend: Sendable {
    enum Protection: Sendable {
        /// What may have arrived is looked for first.
        case lookUp
        /// The backend ignores a second one, by its key.
        case key
        /// Nothing does: it is sent again, and it was noted that the first may have arrived.
        case none
        /// It is sent once: where that may have arrived, a person looks.
        case person
    }

    /// The profile's name.
    let name: String
    let route: String
    let sandbox: SandboxBackend
    let protection: Protection
    /// Of the profile: the timeout that stands there.
    var timeout: String?
    /// Whether it can be asked how it is.
    var hasHealth = false
    /// What a person signs in by, where it is no password.
    var refreshToken: String?
    /// An item's fields, and its document.
    let fields: @Sendable (Int) -> [String: String]
    var payload: (@Sendable (Int) -> Data)?
    /// What the ledger knows an item by: its id, or else the digest of what was stored.
    var stored: (@Sendable (Int) -> String)?

    /// All that a profile is shipped for.
    static let all = [breatheSafe, labLoop, aiPhoto, lists, lists2026, story16]

    static let breatheSafe = FarBackend(
        name: "breathesafe", route: "measurement", sandbox: .breatheSafe(.severalUsers), protection: .lookUp, timeout: "timeout: 60",
        hasHealth: true, fields: { ["user_id": "\(5 + $0 % 4)"] }, payload: { TestStation.measurement($0) })

    static let labLoop = FarBackend(
        name: "labloop", route: "appointment", sandbox: .labLoop(), protection: .person, timeout: "timeout: 15", fields: { _ in [:] },
        payload: { Data(#"{"client_mutation_id":"\#(Samples.id($0))","title":"visit \#($0)"}"#.utf8) })

    static let aiPhoto = FarBackend(
        name: "aiphoto", route: "purchase",
        sandbox: .aiPhoto(AIPhotoConfiguration(firebase: FirebaseConfiguration(refreshTokens: ["from-the-app": "manager@lab.test"]))),
        protection: .key, timeout: "timeout: 60", refreshToken: "from-the-app",
        fields: { ["transaction_data": "transaction \($0)", "product_id": "credits.10"] },
        stored: { #"{"product_id":"credits.10","transaction_data":"transaction \#($0)"}"# })

    static let lists = FarBackend(
        name: "lists", route: "create_list", sandbox: .lists(ListsConfiguration(mostLogIns: nil)), protection: .none,
        timeout: "timeout: 30", fields: { ["name": "list \($0)"] }, stored: { #"{"name":"list \#($0)"}"# })

    static let lists2026 = FarBackend(
        name: "lists-2026", route: "create_list", sandbox: .lists2026(Lists2026Configuration(limits: .none)), protection: .none,
        timeout: "timeout: 30", fields: { ["name": "list \($0)"] }, stored: { #"{"name":"list \#($0)"}"# })

    static let story16 = FarBackend(
        name: "story16", route: "message", sandbox: .story16(), protection: .key, fields: { _ in ["conversation": "c1"] },
        payload: { Data(#"{"text":"message \#($0)"}"#.utf8) })

    /// What shortens the times of its profile to those of the campaign.
    var edits: [(String, String)] { timeout.map { [($0, "timeout: 1")] } ?? [] }

    func submission(_ number: Int) -> ControlAPI.Submission {
        ControlAPI.Submission(
            backend: name, route: route, id: Samples.id(number).description, fields: fields(number), payload: payload?(number))
    }

    /// Signs the manager in, and does what has to be done there before anything else.
    func prepare(_ station: TestStation) async throws {
        try await NetworkCampaign.patiently { try await signIn(station) }
        try await register(station)
    }

    /// Makes whoever is signed in known where that is a call of its own.
    func register(_ station: TestStation) async throws {
        guard name == "aiphoto" else { return }
        let submission = ControlAPI.Submission(backend: name, route: "register", fields: ["name": "Lab", "email": "manager@lab.test"])
        _ = try await station.client.call(Endpoints.submit, submission)
        try await NetworkCampaign.patiently {
            guard try await station.entries("delivered").count == 1 else { throw StationError("nobody is registered at \(name)") }
        }
    }

    func signIn(_ station: TestStation) async throws {
        let password = refreshToken == nil ? BreatheSafeConfiguration.labPassword : nil
        let form = SignIn(
            backend: name, email: "manager@lab.test", password: password, refreshToken: refreshToken, remember: name == "breathesafe")
        _ = try await station.client.call(Endpoints.signIn, form)
    }

    /// The numbers of what has taken effect, in that order, a second effect too.
    func effects(_ ledger: Ledger, of handedIn: Int) -> [Int] {
        let known = (1...handedIn).map { number in
            (stored.map { LedgerEntry.digest(of: Array($0(number).utf8)) } ?? Samples.id(number).description, number)
        }
        let numbers = Dictionary(uniqueKeysWithValues: known)
        return ledger.entries.compactMap { numbers[stored == nil ? $0.clientMutationID ?? "" : $0.digest] }
    }

    /// How often a try at an entry may count while such lies are told: what only the network is at fault for never does.
    var mayCount: Int {
        switch protection {
        // Where others get through meanwhile.
        case .lookUp: 3
        // A person decides after the first.
        case .person: 0
        // Each request that was sent and got no answer.
        case .key, .none: 3
        }
    }
}
