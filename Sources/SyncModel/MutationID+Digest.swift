import Foundation

extension MutationID {
    /// Makes a version 8 UUID (RFC 9562 5.8) of the first 16 bytes; fills a shorter digest with zeros.
    package init(digest: some Sequence<UInt8>) {
        var bytes = Array(digest.prefix(16))
        bytes += Array(repeating: 0, count: 16 - bytes.count)
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        let uuid = bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
        description = uuid.uuidString.lowercased()
    }
}
