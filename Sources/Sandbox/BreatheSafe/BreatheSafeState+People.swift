import Foundation

extension BreatheSafeState {
    /// The number of people of account 1. A new value adds `Person 00001` and so on, or removes the newest.
    var people: Int {
        get { managedUsers.count { $0.manager == 1 } }
        set {
            let present = managedUsers.filter { $0.manager == 1 }
            for row in present.dropFirst(newValue) { remove(row.user) }
            for number in present.count..<max(present.count, newValue) {
                let name: JSONObject = ["first_name": "Person", "last_name": .string(String(format: "%05d", number + 1))]
                addManagedUser(nextID(of: "users"), manager: 1, name, at: startedAt)
            }
        }
    }

    mutating func addPerson(_ profile: JSONObject, manager: Int, at now: Date) throws(FaultProblem) -> JSON {
        guard BreatheSafeConfiguration.labAccounts.contains(where: { $0.id == manager }) else {
            throw FaultProblem(description: "manager: expected an account from 1 to 4")
        }
        let row = addManagedUser(nextID(of: "users"), manager: manager, profile, at: now)
        return ["id": .int(row.id), "managed_id": .int(row.user)]
    }

    mutating func removePerson(_ user: Int) throws(FaultProblem) {
        guard managedUsers.contains(where: { $0.user == user }) else {
            throw FaultProblem(description: "managed_id: there is no managed user \(user)")
        }
        remove(user)
    }

    /// Deletes a user and the user's data.
    mutating func remove(_ user: Int) {
        managedUsers.removeAll { $0.user == user }
        measurements.removeAll { $0.user == user }
        fitTests.removeAll { $0.user == user }
        profiles[user] = nil
        users[user] = nil
    }
}
