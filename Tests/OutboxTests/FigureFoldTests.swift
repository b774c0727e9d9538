import SyncModel
import Testing

@testable import Outbox

@Suite struct FigureFoldTests {
    private static let day = FigureKey.msPerDay
    private static let hour: Int64 = 3_600_000

    private func folded(_ events: [(at: Int64, kind: SyncEvent.Kind, gate: String?, reason: String?)]) -> FigureFold {
        var fold = FigureFold()
        for (index, event) in events.enumerated() {
            fold.add(
                CountedEvent(
                    cursor: Int64(index + 1), at: event.at, kind: event.kind, backend: "b", account: event.gate == nil ? "1" : "",
                    reason: event.reason, gate: event.gate))
        }
        return fold
    }

    private func backend(_ fold: FigureFold, _ day: Int64) -> DailyFigure? { fold.figures[FigureKey(day: day, backend: "b")] }

    @Test func daysBeginAtMidnightInUTC() {
        let fold = folded([
            (Self.day - 1, .captured, nil, nil), (Self.day, .captured, nil, nil), (Self.day + 1, .captured, nil, nil),
            (-1, .captured, nil, nil),
        ])
        let counts = [-1, 0, 1].map { fold.figures[FigureKey(day: $0, backend: "b", account: "1")]?.captured }
        #expect(counts == [1, 1, 2] && fold.cursor == 4)
    }

    @Test func outageOverMidnightIsSharedByBothDays() {
        let fold = folded([
            (Self.day - Self.hour, .gateChanged, "cooling", "offline"), (Self.day + Self.hour, .gateChanged, "cooling", "tls"),
            (Self.day + 2 * Self.hour, .gateChanged, "open", nil),
        ])
        #expect(backend(fold, 0)?.outages == 1 && backend(fold, 0)?.outageTime == Self.hour)
        #expect(backend(fold, 1)?.outages == 0 && backend(fold, 1)?.outageTime == 2 * Self.hour)
        #expect(fold.outages.isEmpty)
    }

    @Test(arguments: ["throttled", "signInRequired", "serverError"]) func serverThatAnswersIsNoOutage(reason: String) {
        let fold = folded([(5, .gateChanged, "cooling", reason), (9, .gateChanged, "open", nil)])
        #expect(fold.figures.isEmpty && fold.outages.isEmpty)
    }

    @Test(arguments: [SyncEvent.Kind.stopped, .started, .reloaded]) func outageEndsWithTheRun(kind: SyncEvent.Kind) {
        let fold = folded([(0, .gateChanged, "cooling", "offline"), (Self.hour, kind, nil, nil)])
        #expect(backend(fold, 0)?.outageTime == Self.hour && fold.currentOutages.isEmpty)
    }

    /// The first gate of a run is open before anything was sent.
    @Test(arguments: [SyncEvent.Kind.started, .reloaded]) func outageGoesOnAfterAKillOrReload(kind: SyncEvent.Kind) {
        let begun = folded([
            (0, .gateChanged, "cooling", "offline"), (Self.hour, kind, nil, nil), (Self.hour + 1000, .gateChanged, "open", nil),
            (Self.hour + 2000, .gateChanged, "cooling", "tls"),
        ])
        #expect(begun.currentOutages["b"]?.began == 0)
        var ended = begun
        ended.add(CountedEvent(cursor: 9, at: 2 * Self.hour, kind: .gateChanged, backend: "b", gate: "open"))
        #expect(backend(ended, 0)?.outages == 1 && backend(ended, 0)?.outageTime == 2 * Self.hour && ended.outages.isEmpty)
    }

    @Test func timeBetweenTwoRunsIsNoPartOfAnOutage() {
        let start = Self.hour + BackendOutage.longestGap / 2
        let fold = folded([
            (0, .gateChanged, "cooling", "offline"), (Self.hour, .stopped, nil, nil), (start, .started, nil, nil),
            (start + 1000, .gateChanged, "open", nil), (start + 2000, .gateChanged, "cooling", "offline"),
            (start + Self.hour, .gateChanged, "open", nil),
        ])
        #expect(backend(fold, 0)?.outages == 1 && backend(fold, 0)?.outageTime == 2 * Self.hour)
    }

    @Test(arguments: [("delivered", nil), ("gateChanged", "throttled")] as [(String, String?)])
    func answerAfterTheStartEndsAnInterruptedOutage(kind: String, reason: String?) throws {
        let kind = try #require(SyncEvent.Kind(rawValue: kind))
        let fold = folded([
            (0, .gateChanged, "cooling", "offline"), (Self.hour, .started, nil, nil),
            (Self.hour + 1, kind, reason.map { _ in "cooling" }, reason), (Self.hour + 2, .gateChanged, "cooling", "offline"),
        ])
        #expect(backend(fold, 0)?.outages == 2 && fold.currentOutages["b"]?.began == Self.hour + 2)
    }

    @Test func outageLongAfterTheStartIsAnotherOne() {
        let late = Self.hour + BackendOutage.longestGap + 1
        let fold = folded([
            (0, .gateChanged, "cooling", "offline"), (Self.hour, .started, nil, nil), (late, .gateChanged, "cooling", "offline"),
            (late + 5, .gateChanged, "open", nil),
        ])
        #expect(backend(fold, 0)?.outages == 2 && backend(fold, 0)?.outageTime == Self.hour + 5)
    }

    /// Whether the second run was stopped or killed.
    @Test(arguments: [true, false]) func runWithoutOutageEndsAnInterruptedOne(stops: Bool) {
        // A killed run leaves no `stopped`.
        let fold = folded([
            (0, .gateChanged, "cooling", "offline"), (1, stops ? .stopped : .started, nil, nil), (2, .started, nil, nil),
            (9 * Self.hour, stops ? .stopped : .started, nil, nil), (9 * Self.hour + 1, .started, nil, nil),
            (9 * Self.hour + 2, .gateChanged, "cooling", "offline"),
        ])
        #expect(backend(fold, 0)?.outages == 2)
    }

    @Test func interruptedOutageHasNoTime() {
        var fold = folded([(0, .gateChanged, "cooling", "offline"), (Self.hour, .stopped, nil, nil)])
        fold.countOutages(upTo: 5 * Self.hour)
        #expect(backend(fold, 0)?.outageTime == Self.hour)
    }

    @Test func clockSetBackDuringAnOutageCountsNoTime() {
        let fold = folded([(Self.hour, .gateChanged, "cooling", "offline"), (0, .gateChanged, "open", nil)])
        #expect(backend(fold, 0)?.outageTime == 0 && backend(fold, 0)?.outages == 1)
    }

    @Test func refusalsAreCountedByReason() {
        let fold = folded([
            (0, .dead, nil, "refused"), (1, .dead, nil, "refused"), (2, .dead, nil, "serverError"), (3, .held, nil, "forbidden"),
            (4, .held, nil, "unknownOutcome"),
        ])
        let figure = fold.figures[FigureKey(day: 0, backend: "b", account: "1")]
        #expect(figure?.refused == ["refused": 2, "serverError": 1, "forbidden": 1])
    }
}
