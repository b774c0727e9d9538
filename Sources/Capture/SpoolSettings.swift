/// How dropped files are taken.
package struct SpoolSettings: Sendable, Equatable {
    /// The drop folder's path.
    package var directory: String
    /// The backend for files dropped here; nil if only one is configured.
    package var backend: String?
    package var route = "measurement"
    package var isEnabled = true
    package var unclaimed = UnclaimedFiles.ask

    package init(directory: String) { self.directory = directory }
}
