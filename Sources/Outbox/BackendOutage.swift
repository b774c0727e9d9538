/// A time in which a backend's server did not answer. Times are Unix milliseconds.
struct BackendOutage: Codable, Sendable, Equatable {
    var began: Int64
    /// Figures have its time up to here.
    var counted: Int64
    /// The run that noticed it has ended. It goes on if the next run soon finds that the server still does not answer.
    var isInterrupted = false

    /// From the end of a run, or the start of the next one if it was killed, to the first failed send, in milliseconds. Later, the server may have
    /// answered meanwhile.
    static let longestGap: Int64 = 600_000
}
