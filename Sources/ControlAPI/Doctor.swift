/// What the daemon found when it examined the station.
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
    /// What was checked, such as `connection`. New words may be added.
    public var check: String
    /// `ok`, `note`, `warning` or `problem`.
    public var state: String
    /// What was found, as a sentence.
    public var finding: String
    /// What to do next, as a sentence; nil if nothing.
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
