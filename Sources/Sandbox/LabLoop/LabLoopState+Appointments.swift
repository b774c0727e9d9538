import Foundation

extension LabLoopState {
    /// The account's appointments, oldest first.
    func listAppointments(of account: SandboxAccount, at now: Date) -> StandInReply {
        let rows = appointments.filter { $0.account == account.id }.map { JSON.object($0.row) }
        return success(200, "Appointments retrieved", ["appointments": .array(rows)], at: now)
    }

    /// Stores an appointment unchanged; a repeated request stores it again.
    mutating func addAppointment(_ request: SandboxRequest, by account: SandboxAccount, at now: Date) throws(Refusal) -> StandInReply {
        guard let document = request.object, !document.isEmpty else { throw .validation("Appointment data is required") }
        let number = appointments.count + 1
        var row = document
        row["_id"] = .string("66f0a1b2c3d4e5f7" + String(format: "%08x", number))
        row["userId"] = .string(account.id)
        row["createdAt"] = .string(now.railsTimestamp)
        appointments.append((account.id, row))
        let commit = Commit(
            resource: "appointment", account: account.number, user: nil, remoteID: number,
            clientMutationID: request.clientMutationID(in: document),
            document: .object(document))
        return success(201, "Appointment created successfully", .object(row), at: now, commit: commit)
    }
}
