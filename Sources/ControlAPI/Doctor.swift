/// The findings of the daemon's examination of the station.
public struct DoctorReport: Codable, Sendable, Equatable {
    public var findings: [Finding]
    /// Nil for callers who may not administer.
    public var settings: SettingsReport?

    public init(findings: [Finding], settings: SettingsReport? = nil) {
        self.findings = findings
        self.settings = settings
    }
}

/// The result of one check.
public struct Finding: Codable, Sendable, Equatable {
    /// The subject of the check, such as `connection`. New words may be added.
    public var check: String
    /// `ok`, `note`, `warning` or `problem`.
    public var state: String
    /// The finding, as a sentence.
    public var finding: String
    /// The next step, as a sentence; nil for none.
    public var remedy: String?
    /// Nil for the whole station.
    public var backend: String?

    public init(check: String, state: String, finding: String, remedy: String? = nil, backend: String? = nil) {
        self.check = check
        self.state = state
        self.finding = finding
        self.remedy = remedy
        self.backend = backend
    }
}
