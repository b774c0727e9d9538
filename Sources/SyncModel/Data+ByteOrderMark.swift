import Foundation

extension Data {
    /// Without the byte order mark with which editors of other systems begin a file in UTF-8.
    package var withoutByteOrderMark: Data {
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        return starts(with: mark) ? dropFirst(mark.count) : self
    }
}
