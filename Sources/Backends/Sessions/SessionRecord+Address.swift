import Foundation

extension Profile {
    /// Every origin to which it sends credentials.
    var credentialOrigins: Set<Origin> {
        let requests = [auth.login?.request, auth.refresh?.request, auth.logout.request, health?.request]
        return Set([origin] + requests.compactMap { $0.flatMap { Origin($0.url.literalURL) } })
    }
}

extension SessionRecord {
    /// Whether `profile` has the address at which the session was made, and sends the credentials nowhere but where they were sent then.
    func isBound(to profile: Profile) -> Bool {
        address == profile.address && profile.credentialOrigins.allSatisfy { wasSent(to: $0) }
    }

    /// Whether the account of this record is the one with the same id at `profile`: at the same service, its former addresses included, whose
    /// people sign in where they did.
    func namesAccount(of profile: Profile) -> Bool {
        ([profile.address] + profile.formerAddresses).contains(address)
            && profile.credentialOrigins.allSatisfy { $0 == profile.origin || wasSent(to: $0) }
    }

    private func wasSent(to other: Origin) -> Bool { (origins ?? [Origin(address)?.description ?? address]).contains(other.description) }
}
