import Foundation
import Glibc

extension Data {
    /// As `range(of:)`, which compares each byte in slow code.
    package func holds(_ part: Data) -> Bool {
        withUnsafeBytes { whole in
            part.withUnsafeBytes { part in
                guard let base = whole.baseAddress, let start = part.baseAddress, let first = part.first else { return part.isEmpty }
                var place = 0
                while place + part.count <= whole.count,
                    let found = memchr(base + place, Int32(first), whole.count - part.count - place + 1)
                {
                    if memcmp(found, start, part.count) == 0 { return true }
                    place = UnsafeRawPointer(found) - base + 1
                }
                return false
            }
        }
    }
}
