/// The version of both programs (semver.org).
public enum HomingVersion {
    public static let current = "0.1.0"
}
