import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

/// A backend behind a faulty connection, with its submissions and its protection against duplicates.
struct FarBackend: Sendable {
    enum Protection: Sendable {
        case lookUp
        /// The backend ignores a repeated key.
        case key
        /// None: the daemon sends again and records the doubt.
        case none
        /// At most once: a person checks entries that may have arrived.
        case person
    }

    let name: String
    let route: String
    let sandbox: SandboxBackend
    let protection: Protection
    /// The timeout line in the profile.
    var timeout: String?
    var hasHealth = false
    /// The credential for backends without passwords.
    var refreshToken: String?
    let fields: @Sendable (Int) -> [String: String]
    var payload: (@Sendable (Int) -> Data)?
    /// The text that the ledger digests for a submission; nil if it records the id.
    var stored: (@Sendable (Int) -> String)?

    static let all = [breatheSafe, labLoop, aiPhoto, lists, lists2026, story16]

    static let breatheSafe = FarBackend(
        name: "breathesafe", route: "measurement", sandbox: .breatheSafe(.severalUsers), protection: .lookUp, timeout: "timeout: 60",
        hasHealth: true, fields: { ["user_id": "\(5 + $0 % 4)"] }, payload: { TestStation.measurement($0) })

    static let labLoop = FarBackend(
        name: "labloop", route: "appointment", sandbox: .labLoop(), protection: .person, timeout: "timeout: 15", fields: { _ in [:] },
        payload: { Data(#"{"client_mutation_id":"\#(Samples.id($0))","title":"visit \#($0)"}"#.utf8) })

    static let aiPhoto = FarBackend(
        name: "aiphoto", route: "purchase",
        sandbox: .aiPhoto(AIPhotoConfiguration { $0.firebase.refreshTokens = ["from-the-app": "manager@lab.test"] }),
        protection: .key, timeout: "timeout: 60", refreshToken: "from-the-app",
        fields: { ["transaction_data": "transaction \($0)", "product_id": "credits.10"] },
        stored: { #"{"product_id":"credits.10","transaction_data":"transaction \#($0)"}"# })

    static let lists = FarBackend(
        name: "lists", route: "create_list", sandbox: .lists(ListsConfiguration { $0.mostLogIns = nil }), protection: .none,
        timeout: "timeout: 30", fields: { ["name": "list \($0)"] }, stored: { #"{"name":"list \#($0)"}"# })

    static let lists2026 = FarBackend(
        name: "lists-2026", route: "create_list", sandbox: .lists2026(Lists2026Configuration { $0.limits = .none }), protection: .none,
        timeout: "timeout: 30", fields: { ["name": "list \($0)"] }, stored: { #"{"name":"list \#($0)"}"# })

    static let story16 = FarBackend(
        name: "story16", route: "message", sandbox: .story16(), protection: .key, fields: { _ in ["conversation": "c1"] },
        payload: { Data(#"{"text":"message \#($0)"}"#.utf8) })

    var edits: [(String, String)] { timeout.map { [($0, "timeout: 1")] } ?? [] }

    func submission(_ number: Int) -> ControlAPI.Submission {
        ControlAPI.Submission(
            backend: name, route: route, id: Samples.id(number).description, fields: fields(number), payload: payload?(number))
    }

    func prepare(_ station: TestStation) async throws {
        try await NetworkCampaign.patiently { try await signIn(station) }
        try await register(station)
    }

    /// Registers the signed-in account if the backend has a call for it.
    func register(_ station: TestStation) async throws {
        guard name == "aiphoto" else { return }
        let submission = ControlAPI.Submission(backend: name, route: "register", fields: ["name": "Lab", "email": "manager@lab.test"])
        _ = try await station.client.call(Endpoints.submit, submission)
        try await NetworkCampaign.patiently {
            guard try await station.entries("delivered").count == 1 else { throw StationError("not registered at \(name)") }
        }
    }

    func signIn(_ station: TestStation) async throws {
        let password = refreshToken == nil ? BreatheSafeConfiguration.labPassword : nil
        let form = SignIn(
            backend: name, email: "manager@lab.test", password: password, refreshToken: refreshToken, remember: name == "breathesafe")
        _ = try await station.client.call(Endpoints.signIn, form)
    }

    /// The numbers of submissions in the order of their effects, duplicates included.
    func effects(_ ledger: Ledger, of handedIn: Int) -> [Int] {
        let known = (1...handedIn).map { number in
            (stored.map { LedgerEntry.digest(of: Array($0(number).utf8)) } ?? Samples.id(number).description, number)
        }
        let numbers = Dictionary(uniqueKeysWithValues: known)
        return ledger.entries.compactMap { numbers[stored == nil ? $0.clientMutationID ?? "" : $0.digest] }
    }

    /// The most attempts that may count per entry with these faults. Mere network failures never count.
    var mayCount: Int {
        switch protection {
        // If other entries get through.
        case .lookUp: 3
        // A person decides after the first.
        case .person: 0
        // Each request that was sent and got no response.
        case .key, .none: 3
        }
    }
}
