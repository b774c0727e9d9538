import ControlAPI
import Foundation
import Sandbox
import StationSupport
import SyncModel
import TestSupport
import Vault

extension RotationStation {
    // MARK: The last change

    /// A change without faults, with entries that wait. Afterwards, earlier keys and a copy of the state directory must open nothing.
    func changeForGood() async throws {
        var process = try await station.start()
        try await signIn()
        _ = try await station.client.call(Endpoints.pause, PauseRequest(reason: "to keep entries"))
        await work(6, while: process)
        try await station.end(SIGTERM)
        try noteKeys()
        let before = try StolenState(copying: state, to: station.directory("before"))
        let rows = try before.sealedRows()
        if try before.contents().count < 6 { broken("no entries wait, so the search proves nothing") }

        process = try await station.start()
        let (code, text) = try await command("rotate").ended()
        if code != 0 { broken("the keys could not be changed: \(text)") }
        let isSealed = try await soon { [station] in
            let report = try await station.client.call(Endpoints.key, NoInput())
            return !report.isResealing && !report.isPending
        }
        if !isSealed { broken("the data was not sealed again") }
        try await endWithEmptyLog(process)
        let after = try StolenState(copying: state, to: station.directory("after"))
        try flaw?.spoil(after, from: before)
        try await search(after, for: rows)
        counted("searches of a copied state directory")
    }

    /// A clean stop, or a kill once the log is empty.
    private func endWithEmptyLog(_ process: Process) async throws {
        guard Bool.random(using: &dice) else {
            try await station.end(SIGTERM)
            return
        }
        let log = station.directory("state/outbox.sqlite-wal")
        let isEmpty = try await soon {
            // `try?`: there may be none.
            (try? Data(contentsOf: URL(fileURLWithPath: log)))?.isEmpty ?? true
        }
        if !isEmpty { broken("the log was not emptied after a change of the keys") }
        process.signal(SIGKILL)
        _ = await process.status
    }

    private func search(_ copy: StolenState, for rows: [Data]) async throws {
        let masters = earlier.map { $0.master }
        for name in try copy.keyrings(openedBy: masters) { broken("an earlier master key opens a keyring in \(name)") }
        for name in try copy.remains(of: rows) { broken("data that an earlier key sealed is left in \(name)") }
        for (_, vault) in earlier {
            let found = try await copy.rows(openedBy: vault)
            if found.current + found.earlier > 0 { broken("an earlier key opens \(found.current + found.earlier) rows") }
        }
        let keys: StationKeys
        do {
            let found = try StationKeys.find(environment: [:], stateDirectory: copy.path)
            guard let found else { throw StationError("there is no key") }
            keys = found
        } catch { return broken("the station does not open with its key: \(error)") }
        if masters.contains(keys.master) { broken("the key file has an earlier key") }
        // Otherwise the search for keyrings finds nothing anywhere.
        let own = try copy.keyrings(openedBy: [keys.master])
        if !own.contains("homing.keyring") || !own.contains("outbox.sqlite") { broken("the search finds no keyring of the present key") }
        let found = try await copy.rows(openedBy: keys.vault())
        if found.earlier + found.none > 0 { broken("the present key does not open \(found.earlier + found.none) rows") }
        finding.counts["rows sealed with the last key", default: 0] += found.current
    }

    // MARK: At the end

    /// Delivers everything, and compares what the clients were told with the backend.
    func judge() async throws {
        let process = try await station.start()
        let started = ContinuousClock.now
        try await signIn()
        _ = try await station.client.call(Endpoints.resume, ResumeRequest())
        // Entries that got no answer are submitted again.
        await work(1, while: process)
        let isSettled = try await soon { try await self.settles() }
        finding.recovery = max(finding.recovery, (ContinuousClock.now - started) / .seconds(1))
        if !isSettled { broken("not everything was delivered") }
        if flaw == .lost { acknowledged.insert(99_999) }
        finding.acknowledged = acknowledged.count
        let effects = Dictionary(grouping: station.sandbox.ledger.entries.filter { $0.clientMutationID != nil }) { $0.clientMutationID }
        for number in acknowledged.sorted() {
            let id = Samples.id(number).description
            let made = effects[id] ?? []
            if made.isEmpty {
                finding.lost += 1
                broken("entry \(number) was acknowledged, and never arrived")
            }
            if made.count > 1 {
                finding.duplicated += made.count - 1
                broken("entry \(number) took effect \(made.count) times")
            }
            for effect in made where effect.digest != Self.digest(of: number) || effect.user != 5 + number % 4 {
                broken("entry \(number) arrived with other bytes, or for another person")
            }
        }
        try await station.end(SIGTERM)
    }

    /// True if every entry is delivered. Retries what stopped.
    private func settles() async throws -> Bool {
        let left = try await station.entries().filter { $0.state != "delivered" }
        for row in left where row.state == "held" || row.state == "dead" {
            _ = try await station.client.call(Endpoints.retry, RetryRequest(id: row.id, withoutLooking: row.retryMayDuplicate == true))
        }
        return left.isEmpty
    }

    /// Of what `TestStation.measurement` becomes at the backend: sorted keys, with the marker.
    private static func digest(of number: Int) -> String {
        let document = """
            {"average_measurements":{"14-818":{"description":"nose","value":17.25}},\
            "client_mutation_id":"\(Samples.id(number))","timestamp":\(number)}
            """
        return LedgerEntry.digest(of: Array(document.utf8))
    }
}
