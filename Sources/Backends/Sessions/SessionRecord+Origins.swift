import Foundation

extension Profile {
    /// Every origin to which it sends credentials.
    var credentialOrigins: Set<Origin> {
        let requests = [auth.login?.request, auth.refresh?.request, auth.logout.request, health?.request]
        return Set([origin] + requests.compactMap { $0.flatMap { Origin($0.url.literalURL) } })
    }
}

extension SessionRecord {
    /// Whether `profile` sends the credentials nowhere but where they were sent when they were made.
    func isBound(to profile: Profile) -> Bool {
        origin == profile.origin.description && profile.credentialOrigins.allSatisfy { wasSent(to: $0) }
    }

    /// Whether the account of this record is the one with the same id at `profile`: at the same service, its former addresses included, whose
    /// people sign in where they did.
    func namesAccount(of profile: Profile) -> Bool {
        ([profile.origin] + profile.formerOrigins).contains { $0.description == origin }
            && profile.credentialOrigins.allSatisfy { $0 == profile.origin || wasSent(to: $0) }
    }

    private func wasSent(to other: Origin) -> Bool { (origins ?? [origin]).contains(other.description) }
}
