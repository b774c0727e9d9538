import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension NetworkCampaign {
    /// A certificate that must be refused, and the expected messages.
    struct WrongCertificate {
        let name: String
        let identity: Authority.Identity
        /// The cause at the gate, in JSON.
        let cause: String
        /// Part of the status's sentence.
        let words: String
        let remedy: String
    }

    /// A station and a TLS backend with a certificate of an authority that the station trusts.
    struct TrustingStation {
        let station: TestStation
        let authority: Authority
        let good: Authority.Identity
        let front: TLSFront

        /// - Parameters:
        ///   - name: the backend's name in the certificate.
        ///   - url: the backend's URL; nil for `name` with the front's port.
        ///   - path: the Unix socket of the front; nil for a port.
        init(name: String = "localhost", url: String? = nil, at path: String? = nil) async throws {
            station = try await TestStation()
            authority = try await Authority("the campaign's", in: station.directory("authority"))
            good = try await authority.issue("good", for: [name])
            front = try await TLSFront(at: path, target: station.port, showing: good)
            // The default timeout of a minute is too long for requests that are under way when the link goes down.
            try TestStation.place(
                "breathesafe", in: station.directory, baseURL: url ?? "https://\(name):\(front.port)", edits: [patience])
            try configure(trusting: authority)
        }

        func configure(trusting authority: Authority, delivery: String = hasty, timeouts: String = impatient) throws {
            try TestStation.configure(station.directory, delivery: delivery, timeouts: timeouts, caFile: authority.certificate)
        }

        func stop() async throws {
            try await station.end(SIGTERM)
            try await front.close()
            await station.sandbox.stop()
        }
    }

    /// Each wrong certificate in turn: no request is sent, the status names the fault, no attempt counts, and deliveries resume with the right one.
    func certificates(seed: UInt64, _ outcome: inout Outcome) async throws {
        var dice = SplitMix64(seed: seed)
        let trusting = try await TrustingStation()
        let station = trusting.station
        let stranger = try await Authority("nobody's", in: station.directory("stranger"))
        let unknown = try await stranger.issue("unknown", for: ["localhost"])
        let wrong = try await Self.wrongCertificates(trusting, stranger: unknown)
        try await station.start()
        try await Self.patiently { try await station.login() }
        var number = 0
        for certificate in wrong.shuffled(using: &dice) {
            number += 2
            try await trusting.front.show(certificate.identity)
            try await refuses(trusting, numbers: number - 1...number, certificate, &outcome)
            try await trusting.front.show(trusting.good)
            if try await !settlesByItself(station, &outcome) { outcome.failures.append("\(certificate.name): delivery does not resume") }
            outcome.met("tls \(certificate.name)")
        }
        // The same certificate is accepted once its authority is trusted, so only the authority was the reason for its refusal.
        try await station.end(SIGTERM)
        try trusting.configure(trusting: stranger)
        try await trusting.front.show(unknown)
        try await station.start()
        try await station.submit(id: number + 1)
        let delivered = try await settlesByItself(station, &outcome)
        outcome.controlled(without: "the refusal of unknown certificate authorities", failedAsItShould: delivered)
        try await concludes(trusting, acknowledged: number + 1, &outcome)
    }

    private static func wrongCertificates(_ trusting: TrustingStation, stranger: Authority.Identity) async throws -> [WrongCertificate] {
        let (authority, day) = (trusting.authority, TimeInterval(86_400))
        let expired = try await authority.issue(
            "expired", for: ["localhost"], from: .now.addingTimeInterval(-90 * day), until: .now.addingTimeInterval(-day))
        let early = try await authority.issue(
            "early", for: ["localhost"], from: .now.addingTimeInterval(day), until: .now.addingTimeInterval(90 * day))
        let other = try await authority.issue("other", for: ["elsewhere.test", "127.0.0.2"])
        let own = try await authority.selfSigned("own", for: ["localhost"])
        let (people, clock) = ("Tell the administrator of the network or the backend", "Otherwise set the clock")
        return [
            WrongCertificate(name: "expired", identity: expired, cause: "tls", words: "expired on", remedy: people),
            WrongCertificate(name: "not yet valid", identity: early, cause: "clock", words: "is valid only from", remedy: clock),
            WrongCertificate(name: "wrong host", identity: other, cause: "tls", words: "a certificate for another name", remedy: people),
            WrongCertificate(
                name: "unknown authority", identity: stranger, cause: "tls", words: "authority that this station does not trust",
                remedy: people),
            WrongCertificate(
                name: "self-signed", identity: own, cause: "tls", words: "authority that this station does not trust", remedy: people),
        ]
    }

    /// Submits, and checks that the certificate is refused with the right message, nothing was sent, and no attempt counted.
    func refuses(
        _ trusting: TrustingStation, numbers: ClosedRange<Int>, _ certificate: WrongCertificate, _ outcome: inout Outcome
    ) async throws {
        let (station, name) = (trusting.station, certificate.name)
        let bytes = trusting.front.requestBytes
        for number in numbers { try await station.submit(user: 5 + number % 4, id: number) }
        if try await !Self.soon({ try await station.report().gateCause == certificate.cause }) {
            outcome.failures.append(
                "\(name): the cause must be \(certificate.cause), found \(try await station.report().gateCause ?? "open")")
        }
        let (status, text) = (try await station.status(), try await station.homing("status").text.replacing(/\s+/, with: " "))
        let code = certificate.cause == "clock" ? "clock" : "no-secure-connection"
        let attention = status.attention.first { $0.code == code }
        if !status.sentence.contains(certificate.words) { outcome.failures.append("\(name): the status says ‘\(status.sentence)’") }
        if attention?.next.contains(certificate.remedy) != true || !text.contains(certificate.remedy) {
            outcome.failures.append("\(name): the next step is ‘\(attention?.next ?? "nothing")’ in ‘\(text)’")
        }
        if trusting.front.requestBytes != bytes { outcome.failures.append("\(name): a request was sent") }
        for number in numbers {
            let entry = try await station.entry(number)
            if entry.attempts > 0 || entry.state == "dead" || entry.uncertain { outcome.failures.append("\(name): \(entry)") }
        }
    }

    func concludes(_ trusting: TrustingStation, acknowledged: Int, _ outcome: inout Outcome) async throws {
        let rows = try await trusting.station.entries()
        // With a clock that is ahead, delivered entries may be pruned already. Their receipts stay.
        let receipts = try await trusting.station.client.call(Endpoints.receipts, ReceiptQuery(limit: 500)).receipts
        let known = Set(rows.map(\.id) + receipts.map(\.id))
        let delivered = Set(rows.filter { $0.state == "delivered" }.map(\.id) + receipts.map(\.id))
        let ledger = trusting.station.sandbox.ledger
        outcome.acknowledged += acknowledged
        outcome.lost += acknowledged - known.count
        outcome.duplicated += ledger.duplicates.count
        let arrived = Set(ledger.entries.compactMap(\.clientMutationID))
        if arrived != delivered || delivered.count != acknowledged || !ledger.duplicates.isEmpty {
            outcome.failures.append(
                "\(arrived.count) of \(acknowledged) arrived, \(delivered.count) delivered, duplicates \(ledger.duplicates.keys.sorted())")
        }
        for id in ledger.duplicates.keys.sorted() { outcome.failures.append(try await trusting.station.homing("show", id).text) }
        if rows.contains(where: { $0.attempts > 0 }) { outcome.failures.append("an attempt was counted for a fault of the network") }
        try await trusting.stop()
    }
}
