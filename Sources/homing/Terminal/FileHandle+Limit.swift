import Foundation

extension FileHandle {
    /// The rest of the file, pipe or device; nil if that is more than `limit` bytes. Then at most one byte more is read.
    func contents(atMost limit: Int) throws -> Data? {
        if let size = regularSize, size > limit { return nil }
        var data = Data()
        while data.count <= limit, let part = try read(upToCount: limit + 1 - data.count), !part.isEmpty { data.append(part) }
        return data.count > limit ? nil : data
    }

    /// In bytes; nil for anything but a regular file.
    var regularSize: Int? {
        var facts = stat()
        guard fstat(fileDescriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int(facts.st_size)
    }
}
