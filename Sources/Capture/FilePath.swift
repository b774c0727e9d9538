import Glibc

/// A path, or one name in it, as the system has it: bytes, which need not be UTF-8.
struct FilePath: Hashable, Sendable {
    /// Ends with a 0.
    let cString: [CChar]

    init(_ text: String) { self.init(bytes: text.utf8) }
    init(bytes: some Sequence<UInt8>) { cString = bytes.map { CChar(bitPattern: $0) } + [0] }
    init(cString: UnsafePointer<CChar>) { self.cString = Array(UnsafeBufferPointer(start: cString, count: strlen(cString) + 1)) }
    private init(_ cString: [CChar]) { self.cString = cString }

    static func / (folder: FilePath, name: FilePath) -> FilePath {
        FilePath(folder.cString.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + name.cString)
    }
    static func / (folder: FilePath, name: String) -> FilePath { folder / FilePath(name) }

    /// What is before the last `/`.
    var folder: FilePath { FilePath(bytes: bytes.reversed().drop { $0 != UInt8(ascii: "/") }.dropFirst().reversed()) }

    /// The text; nil where the bytes are not UTF-8.
    var utf8: String? { String(validating: bytes, as: UTF8.self) }
    /// The text, with U+FFFD for what is not UTF-8.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    private var bytes: some RandomAccessCollection<UInt8> { cString.dropLast().lazy.map { UInt8(bitPattern: $0) } }
}
