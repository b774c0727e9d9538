/// The version of the programs (semver.org), the same for both.
public enum HomingVersion {
    public static let current = "0.1.0"
}
