/// A file that is sent as the body of a response.
package struct Download: Sendable {
    /// In bytes.
    package let size: Int
    /// The next bytes; empty at the end.
    package let next: @Sendable () throws -> [UInt8]

    package init(size: Int, next: @escaping @Sendable () throws -> [UInt8]) { (self.size, self.next) = (size, next) }
}
