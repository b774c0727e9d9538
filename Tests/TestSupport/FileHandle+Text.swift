import Foundation

extension FileHandle {
    /// Reads until `mark` has come, or to the end; on a thread, because reading blocks.
    package func text(until mark: String? = nil) async -> String {
        let mark = mark.map { Data($0.utf8) }
        return await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var read = Data()
                while mark.flatMap({ read.range(of: $0) }) == nil, case let part = self.availableData, !part.isEmpty { read += part }
                continuation.resume(returning: String(decoding: read, as: UTF8.self))
            }
        }
    }
}
