import Foundation
import SyncModel

package enum Samples {
    package static let destination = Destination(backend: "breathesafe", account: "1")

    package static func id(_ number: Int) -> MutationID {
        let text = String(format: "00000000-0000-7000-8000-%012d", number)
        guard let id = MutationID(text) else { preconditionFailure("\(text) is a UUID") }
        return id
    }

    package static func mutation(
        _ number: Int, lane: String = "users/5", account: AccountID = "1", payload: String = #"{"average_measurements":{}}"#,
        onDead: Mutation.OnDead = .skip, at date: Date = Date(timeIntervalSince1970: 1_765_000_000)
    ) -> Mutation {
        Mutation(
            id: id(number), destination: Destination(backend: "breathesafe", account: account), lane: Lane(lane), route: "measurement",
            fields: ["user_id": 5], payload: Data(payload.utf8), onDead: onDead, capturedAt: date)
    }

    /// Text of this many bytes for a JSON string, which the store does not compress.
    package static func noise(_ bytes: Int) -> String {
        let (blocks, rest) = bytes.quotientAndRemainder(dividingBy: block.utf8.count)
        return String(repeating: block, count: blocks) + block.prefix(rest)
    }

    // Longer than zstd looks back at level 1 (512 KiB), so that repeating it does not help.
    private static let block: String = {
        var generator = SplitMix64(seed: 7)
        let letters = (UInt8(ascii: "#")...UInt8(ascii: "~")).filter { $0 != UInt8(ascii: "\\") }
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { room, count in
            while count < 1 << 20 {
                let word = generator.next()
                for shift in stride(from: 0, to: 64, by: 8) {
                    room[count] = letters[Int(word >> shift & 0xff) * letters.count / 256]
                    count += 1
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }()

    /// An entry in flight.
    package static func entry(_ mutation: Mutation = Samples.mutation(1), _ change: (inout Entry) -> Void = { _ in }) -> Entry {
        var entry = Entry(sequence: 1, mutation: mutation, state: .inflight)
        change(&entry)
        return entry
    }

    package static let route = RouteTraits(canLookUp: true, isAtMostOnce: false)
    package static let failure = Failure(.serverError, status: 500, "Internal Server Error")
    package static let receipt = Receipt(remoteID: "7", status: 201, at: Date(timeIntervalSince1970: 1_765_000_000))
}
