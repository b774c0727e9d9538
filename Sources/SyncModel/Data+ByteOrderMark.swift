import Foundation

extension Data {
    /// Removes the UTF-8 byte order mark that some editors write.
    package var withoutByteOrderMark: Data {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        return starts(with: mark) ? dropFirst(mark.count) : self
    }
}
