import CCompression

extension SandboxRequest {
    /// The original of a gzip body (RFC 1952); nil if it is none, or larger than 64 MiB.
    var unzippedBody: [UInt8]? {
        // The last four bytes are its size, in little endian.
        let size = body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard (1...64 << 20).contains(size) else { return nil }
        let plain = [UInt8](unsafeUninitializedCapacity: size) { room, count in
            count = body.withUnsafeBytes { homing_gunzip($0.baseAddress, $0.count, room.baseAddress, size) }
        }
        return plain.count == size ? plain : nil
    }
}
