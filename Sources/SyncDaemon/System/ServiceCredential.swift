import Files

/// The master key as a credential of homingd.service, which only the running service has.
package struct ServiceCredential: Sendable {
    /// Systemd makes this folder at a start of the service, and removes it at a stop.
    package static let folder = "/run/credentials/homingd.service"

    /// The files that systemd reads the credential from.
    private let sources: [String]
    private let owns: @Sendable (_ state: String) -> Bool

    /// - Parameter owns: true if the service's user owns that state directory.
    package init(
        sources: [String] = ["/etc/credstore.encrypted/homing.key", "/etc/credstore/homing.key"],
        owns: @escaping @Sendable (_ state: String) -> Bool = { ServiceIdentity.owns($0) }
    ) {
        (self.sources, self.owns) = (sources, owns)
    }

    /// True if systemd passes the credential to the running service of a state directory.
    func isPassed(for state: String) -> Bool { owns(state) && DurableFile(path: Self.folder + "/homing.key").exists }

    /// The file from which the next start of the service gets its key; nil if its key is in the state directory.
    func source(for state: String) -> String? { owns(state) ? sources.first { DurableFile(path: $0).exists } : nil }
}
