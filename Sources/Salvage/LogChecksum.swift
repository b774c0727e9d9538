/// A log's checksum: two running sums over pairs of 32-bit words, which can be reversed.
struct LogChecksum: Hashable {
    let isBigEndian: Bool
    private var a: UInt32
    private var b: UInt32

    /// - Parameter stated: 8 bytes.
    init(isBigEndian: Bool, stated: ArraySlice<UInt8>) {
        self.isBigEndian = isBigEndian
        let stated = Array(stated)
        a = UInt32(stated.number(at: 0))
        b = UInt32(stated.number(at: 4))
    }

    /// - Parameter bytes: a multiple of eight.
    func adding(_ bytes: ArraySlice<UInt8>) -> LogChecksum {
        var sum = self
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
                sum.a = sum.a &+ word(bytes, offset) &+ sum.b
                sum.b = sum.b &+ word(bytes, offset + 4) &+ sum.a
            }
        }
        return sum
    }

    func removing(_ bytes: ArraySlice<UInt8>) -> LogChecksum {
        var sum = self
        bytes.withUnsafeBytes { bytes in
            for offset in stride(from: bytes.count - 8, through: 0, by: -8) {
                sum.b = sum.b &- word(bytes, offset + 4) &- sum.a
                sum.a = sum.a &- word(bytes, offset) &- sum.b
            }
        }
        return sum
    }

    /// The eight bytes that lead to `later`.
    func bytes(to later: LogChecksum) -> [UInt8] {
        [later.a &- a &- b, later.b &- b &- later.a].flatMap { word in
            withUnsafeBytes(of: isBigEndian ? word.bigEndian : word.littleEndian, Array.init)
        }
    }

    private func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
        let word = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
    }
}
