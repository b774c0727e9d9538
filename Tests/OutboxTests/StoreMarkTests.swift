import Foundation
import Testing

@testable import Outbox

@Suite struct StoreMarkTests {
    private static let marks = [
        StoreMark(inode: 18_446_744_073_709_551_615, epoch: 7), StoreMark(inode: 12, epoch: 7, event: 30),
        StoreMark(epoch: 7, event: 30), StoreMark(epoch: 0),
    ]

    @Test(arguments: marks) func readsWhatItWrites(mark: StoreMark) { #expect(StoreMark(mark.content) == mark) }

    @Test(arguments: marks) func changedMarkerSaysNothing(mark: StoreMark) {
        for place in mark.content.indices {
            for bit in 0..<8 {
                var content = mark.content
                content[place] ^= 1 << bit
                #expect(StoreMark(content) == nil, "bit \(bit) of byte \(place)")
            }
            #expect(StoreMark(mark.content.prefix(place)) == nil, "\(place) bytes")
        }
    }

    @Test(arguments: ["", "closed\n", "open 12\n", "epoch", "closed epoch 7 event 30\n", "\u{0}\u{0}\u{0}"])
    func otherFormSaysNothing(content: String) { #expect(StoreMark(Data(content.utf8)) == nil) }

    /// The store has the epoch 7, the newest event 30 and the inode 12.
    @Test(arguments: [
        (StoreMark(epoch: 8, event: 20), true), (StoreMark(inode: 12, epoch: 8), true),
        (StoreMark(epoch: 6, event: 40), false), (StoreMark(inode: 13, epoch: 6), false),
        (StoreMark(epoch: 7, event: 31), true), (StoreMark(epoch: 7, event: 30), false), (StoreMark(epoch: 7, event: 29), false),
        (StoreMark(inode: 13, epoch: 7), true), (StoreMark(inode: 12, epoch: 7), false),
        (StoreMark(inode: 13, epoch: 7, event: 30), false), (StoreMark(inode: 12, epoch: 7, event: 31), true),
        (StoreMark(epoch: 7), false),
    ])
    func isAheadOfAStoreThatLacksSomething(mark: StoreMark, isAhead: Bool) {
        #expect(mark.isAhead(of: 7, event: 30, inode: 12) == isAhead)
    }

    /// As after damage.
    @Test func unknownFactsMakeNoCopy() {
        #expect(!StoreMark(epoch: 7, event: 31).isAhead(of: 7, event: nil, inode: 12))
        #expect(!StoreMark(inode: 13, epoch: 7).isAhead(of: 7, event: 30, inode: nil))
    }
}
