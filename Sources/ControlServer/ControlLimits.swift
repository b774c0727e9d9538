import NIOCore

/// What one caller may take of the control channel. The limits on bodies are the endpoints' own.
package struct ControlLimits: Sendable {
    /// Request line and headers, in bytes. What is twice as large is cut off with a bare 400.
    package var header = 16 << 10
    /// How long a connection may be silent, and how long a header may take.
    package var idle: TimeAmount = .seconds(60)
    /// From the end of a request's header to the end of its body.
    package var body: TimeAmount = .seconds(60)
    /// Connections at a time.
    package var connections = 256
    /// Of these, the ones that only root and the daemon's own user can have, so that others never lock them out.
    package var reserved = 16
    /// Connections of one user at a time; root and the daemon's own user may have all of them.
    package var connectionsPerUser = 64
    /// Connections at a time that are told that they are too many; those over it are closed at once.
    package var refusals = 64
    /// Bytes of bodies in memory at a time.
    package var bodies = 160 << 20

    package init() {}
}
