import Foundation

/// The errno of a failed connection, or 0.
func connectionError(to url: String) -> Int32 {
    let (descriptor, error) = connection(to: url)
    close(descriptor)
    return error
}

/// The errno of a failed read, or 0. Reads on its own thread, because the server may need the test's.
func readError(from url: String) async -> Int32 {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread {
            let (descriptor, error) = connection(to: url)
            defer { close(descriptor) }
            var byte: UInt8 = 0
            continuation.resume(returning: error != 0 ? error : recv(descriptor, &byte, 1, 0) < 0 ? errno : 0)
        }
    }
}

private func connection(to url: String) -> (descriptor: Int32, error: Int32) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(URL(string: url)?.port ?? 0).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    return (descriptor, result == 0 ? 0 : errno)
}
