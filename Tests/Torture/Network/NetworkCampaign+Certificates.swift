import ControlAPI
import Delivery
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport

extension NetworkCampaign {
    /// A certificate that must not be trusted, and what is to be said of it.
    struct WrongCertificate {
        let name: String
        let identity: Authority.Identity
        /// Of the gate, for programs.
        let cause: String
        /// Of the status's sentence.
        let words: String
        /// Of what to do.
        let remedy: String
    }

    /// A station at a backend that shows its clients a certificate, of an authority that the station knows.
    struct TrustingStation {
        let station: TestStation
        let authority: Authority
        let good: Authority.Identity
        let front: TLSFront

        /// - Parameters:
        ///   - name: of the backend, which its certificate is for.
        ///   - url: where the daemon finds it; nil for there, at the front's port.
        ///   - path: of the Unix socket that the front listens on; nil for a port.
        init(name: String = "localhost", url: String? = nil, at path: String? = nil) async throws {
            station = try await TestStation()
            authority = try await Authority("the campaign's", in: station.directory("authority"))
            good = try await authority.issue("good", for: [name])
            front = try await TLSFront(at: path, target: station.port, showing: good)
            // A request that is on its way when the link goes would wait for a minute.
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

    /// Each wrong certificate in turn: nothing goes through it, it is said what is wrong, nothing is spent, and with the right one all goes on.
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
            try trusting.front.show(certificate.identity)
            try await refuses(trusting, numbers: number - 1...number, certificate, &outcome)
            try trusting.front.show(trusting.good)
            if try await !settlesByItself(station, &outcome) { outcome.failures.append("\(certificate.name): it does not go on by itself") }
            outcome.met("tls \(certificate.name)")
        }
        // Where its authority is known, the very same certificate is a good one: what was refused was the certificate, and nothing else.
        try await station.end(SIGTERM)
        try trusting.configure(trusting: stranger)
        try trusting.front.show(unknown)
        try await station.start()
        try await station.submit(id: number + 1)
        let delivered = try await settlesByItself(station, &outcome)
        outcome.controlled(without: "the refusal of an authority that is not known", failedAsItShould: delivered)
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
        let (people, clock) = ("Tell whoever runs the network or the backend", "Set the station’s clock")
        return [
            WrongCertificate(name: "expired", identity: expired, cause: "tls", words: "expired on", remedy: people),
            WrongCertificate(name: "not yet valid", identity: early, cause: "clock", words: "is valid only from", remedy: clock),
            WrongCertificate(name: "wrong host", identity: other, cause: "tls", words: "a certificate for another name", remedy: people),
            WrongCertificate(
                name: "unknown authority", identity: stranger, cause: "tls", words: "authority that is known here", remedy: people),
            WrongCertificate(name: "self-signed", identity: own, cause: "tls", words: "authority that is known here", remedy: people),
        ]
    }

    /// Hands in, sees that the certificate on show is refused and why, and that nothing has gone through or been spent.
    func refuses(
        _ trusting: TrustingStation, numbers: ClosedRange<Int>, _ certificate: WrongCertificate, _ outcome: inout Outcome
    ) async throws {
        let (station, name) = (trusting.station, certificate.name)
        let bytes = trusting.front.requestBytes
        for number in numbers { try await station.submit(user: 5 + number % 4, id: number) }
        if try await !Self.soon({ try await station.report().gateCause == certificate.cause }) {
            outcome.failures.append(
                "\(name): it is not refused as \(certificate.cause), but \(try await station.report().gateCause ?? "open")")
        }
        let (status, text) = (try await station.status(), try await station.homing("status").text.replacing(/\s+/, with: " "))
        let code = certificate.cause == "clock" ? "clock" : "no-secure-connection"
        let attention = status.attention.first { $0.code == code }
        if !status.sentence.contains(certificate.words) { outcome.failures.append("\(name): the status says ‘\(status.sentence)’") }
        if attention?.next.contains(certificate.remedy) != true || !text.contains(certificate.remedy) {
            outcome.failures.append("\(name): what to do is ‘\(attention?.next ?? "nothing")’ in ‘\(text)’")
        }
        if trusting.front.requestBytes != bytes { outcome.failures.append("\(name): something was sent") }
        for number in numbers {
            let entry = try await station.entry(number)
            if entry.attempts > 0 || entry.state == "dead" || entry.uncertain { outcome.failures.append("\(name): \(entry)") }
        }
    }

    /// All that was handed in is there once, and the daemon ends.
    func concludes(_ trusting: TrustingStation, acknowledged: Int, _ outcome: inout Outcome) async throws {
        let rows = try await trusting.station.entries()
        // By a clock that is ahead, what was delivered today was delivered long ago, and is listed no more: its receipt stays for good.
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
                "of \(acknowledged) \(arrived.count) arrived, \(delivered.count) are delivered, twice \(ledger.duplicates.keys.sorted())")
        }
        if rows.contains(where: { $0.attempts > 0 }) { outcome.failures.append("an attempt was counted for what is the network's fault") }
        try await trusting.stop()
    }
}
