import Files

/// The master key as a credential of homingd.service, which only the running service has.
package struct ServiceCredential: Sendable {
    /// Systemd makes this folder at a start of the service, and removes it at a stop.
    package static let folder = "/run/credentials/homingd.service"

    /// The file that systemd reads the credential from; nil if there is none.
    private let path: String?
    private let owns: @Sendable (_ state: String) -> Bool

    /// Looks for the file at once, because a process that is no longer root does not see it.
    ///
    /// - Parameters:
    ///   - sources: the files that systemd tries, the first one first.
    ///   - owns: true if the service's user owns that state directory.
    package init(
        sources: [String] = ServiceCredential.possibleSources,
        owns: @escaping @Sendable (_ state: String) -> Bool = { ServiceIdentity.owns($0) }
    ) {
        path = sources.first { DurableFile(path: $0).exists }
        self.owns = owns
    }

    /// True if systemd passes the credential to the running service of a state directory.
    func isPassed(for state: String) -> Bool { owns(state) && DurableFile(path: Self.folder + "/homing.key").exists }

    /// The file from which the next start of the service gets its key; nil if its key is in the state directory.
    func source(for state: String) -> String? { owns(state) ? path : nil }
}
