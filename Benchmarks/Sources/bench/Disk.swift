import Foundation

enum Disk {
    /// Appends of 4 KiB with fdatasync per second: the minimum cost of a durable transaction.
    static func fdatasyncRate(in directory: String, seconds: Double = 1) -> Double {
        let path = directory + "/fdatasync"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        let block = [UInt8](repeating: 7, count: 4096)
        let begin = ContinuousClock.now
        var count = 0
        while ContinuousClock.now - begin < .seconds(seconds) {
            pwrite(file, block, block.count, off_t(count * block.count))
            fdatasync(file)
            count += 1
        }
        return Double(count) / (ContinuousClock.now - begin).seconds
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
