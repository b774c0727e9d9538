import Foundation
import SyncModel
import TestSupport

struct PowerCut: Sendable {
    let tape: Int
    let cut: Int
    let seed: UInt64
    let disk: Disk
    let promises: Promises
    let taken: Set<String>

    func image() -> Disk.Image {
        var generator = SplitMix64(seed: seed)
        return disk.image(using: &generator)
    }

    func problems() async throws -> [String] {
        // In memory, since an image lives only for milliseconds.
        let shared = "/dev/shm"
        let directory = (FileManager.default.isWritableFile(atPath: shared) ? shared : "/tmp") + "/hm-cut-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }  // `try?`: the system cleans up the rest
        try image().write(to: directory)
        return await ImageCheck(directory: directory, promises: promises, taken: taken).problems()
    }
}

extension PowerCutTape {
    /// Cuts after each of these records, in order, each with its own seed.
    func cuts(
        after places: Set<Int>, number: Int, disbelieving disbelieves: (@Sendable (String) -> Bool)? = nil, seed: UInt64,
        _ body: (PowerCut) async throws -> Bool
    ) async throws {
        var disk = Disk()
        if let disbelieves { disk.disbelieves = disbelieves }
        var promises = Promises()
        for cut in 0...records.count {
            if places.contains(cut) {
                let power = PowerCut(
                    tape: number, cut: cut, seed: seed &+ UInt64(cut) &* 0x9E37_79B9, disk: disk, promises: promises,
                    taken: mayHaveTaken(before: cut))
                guard try await body(power) else { return }
            }
            guard cut < records.count else { return }
            try disk.apply(records[cut])
            promises.apply(records[cut], words[cut])
        }
    }

    /// Positions around each seam, and as many random ones.
    func places(using generator: inout some RandomNumberGenerator) -> Set<Int> {
        Set(seams + seams.map { $0 + 1 } + seams.map { _ in Int.random(in: 0...records.count, using: &generator) })
    }
}
