import ControlAPI
import Foundation
import Testing

@testable import homing

@Suite struct WatchFrameTests {
    private func lane(_ number: Int, _ name: String, _ state: String = "pending", waiting: Int = 1, due: Date? = nil) -> LaneReport {
        LaneReport(
            backend: "breathesafe", account: "5", email: "anna@clinic.example", lane: name, head: Sample.id(number), state: state,
            capturedAt: Sample.ago(minutes: 3), dueAt: due, waiting: waiting)
    }

    private var view: WatchView {
        var view = WatchView()
        view.saw(
            Sample.status(
                "3 captures are on their way.",
                attention: [Attention(code: "dead", text: "1 capture was refused.", next: "See ‘homing list --state failed’.")],
                backends: [Sample.backend(queue: .init(pending: 2, inflight: 1, dead: 1, delivered: 9), oldest: Sample.ago(minutes: 200))]),
            [
                lane(1, "users/5", "inflight", waiting: 12), lane(2, "users/王小明的测量", due: Sample.now.addingTimeInterval(300)),
                lane(3, "users/👩‍👩‍👧‍👦é", "dead", waiting: 1000),
            ])
        for cursor in 1...3 {
            var event = Sample.event(Int64(cursor), detail: ["remoteID": "\(800 + cursor)", "route": "measurement"])
            event.title = Sample.measurement
            view.saw(event)
        }
        return view
    }

    private func frame(width: Int, height: Int? = nil, footer: String? = nil, coloured: Bool = false) -> WatchFrame {
        WatchFrame(style: TextStyle(isColoured: coloured), times: Sample.times, width: width, height: height, footer: footer)
    }

    @Test func frameShowsStatusLanesAndDeliveries() {
        #expect(
            frame(width: 100).lines(view).joined(separator: "\n") == """
                3 captures are on their way.

                Needs a person:
                  • 1 capture was refused.
                    → See ‘homing list --state failed’.

                breathesafe
                  sending: on
                  account: anna@clinic.example, signed in since 12:10
                  2 waiting, 1 being sent, 1 failed, 9 delivered · oldest accepted 3 hours ago (10:55)

                LANE                WAITING  STATE       CAPTURED      NEXT TRY      FIRST ENTRY
                users/5             12       being sent  14:12                       3f2a91c04b01
                users/王小明的测量  1        waiting     14:12         14:20         3f2a91c04b02
                users/👩‍👩‍👧‍👦é           1000+    failed      14:12                       3f2a91c04b03

                DELIVERED        ENTRY         SERVER ID       KIND                BACKEND
                14:15:00         3f2a91c04b01  803             measurement         breathesafe
                14:15:00         3f2a91c04b01  802             measurement         breathesafe
                14:15:00         3f2a91c04b01  801             measurement         breathesafe
                """)
    }

    @Test func nextTryThatHasComeIsNow() {
        var view = WatchView()
        view.saw(Sample.status(backends: [Sample.backend(queue: .init(pending: 2), next: Sample.now.addingTimeInterval(0.3))]), [])
        #expect(frame(width: 100).lines(view).contains("  2 waiting · next try now"))
    }

    @Test func frameNamesPeople() {
        var view = WatchView()
        var lane = lane(1, "users/28")
        lane.subject = Sample.subject()
        view.saw(Sample.status(), [lane, self.lane(2, "lists")])
        var event = Sample.event(1, detail: ["remoteID": "801", "route": "measurement"])
        event.title = Sample.measurement
        event.subject = Sample.subject("31", "Anna Maximiliana Example-Featherstonehaugh")
        view.saw(event)
        let lines = frame(width: 100).lines(view)
        #expect(
            lines.suffix(6).joined(separator: "\n") == """
                FOR                WAITING  STATE       CAPTURED      NEXT TRY      FIRST ENTRY
                Anna Example (28)  1        waiting     14:12                       3f2a91c04b01
                lists              1        waiting     14:12                       3f2a91c04b02

                DELIVERED        ENTRY         FOR                       SERVER ID       KIND
                14:15:00         3f2a91c04b01  Anna Maximiliana E… (31)  801             measurement
                """)
        for width in 40...120 {
            for line in frame(width: width).lines(view) { #expect(line.columns <= width, "\(line)") }
        }
    }

    @Test(arguments: [40, 80, 120]) func wideNamesFitTheFrame(width: Int) {
        let name = String(repeating: "名e\u{301}", count: 70)
        var lane = lane(1, name)
        (lane.subject, lane.email) = (Sample.subject("5", name), name)
        var (event, view) = (Sample.event(1, detail: ["remoteID": "801", "route": name]), WatchView())
        event.subject = Sample.subject("5", name)
        view.saw(Sample.status(name, attention: [Attention(code: "dead", text: name, next: name)]), [lane, self.lane(2, name)])
        view.saw(event)
        let lines = frame(width: width).lines(view)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        #expect(lines.contains { $0.contains("… (5)") })
    }

    @Test(arguments: [40, 41, 57, 80, 100, 137, 200], [nil, 5, 12, 24, 60])
    func frameFitsItsWidthAndHeight(width: Int, height: Int?) {
        let lines = frame(width: width, height: height, footer: "q to quit").lines(view)
        for line in lines { #expect(line.columns <= width, "\(line)") }
        if let height { #expect(lines.count == height) }
        #expect(lines.last == "q to quit")
        #expect(lines.first?.hasPrefix("3 captures") == true)
    }

    @Test func frameOfStoppedDaemonShowsOnlyTheProblem() {
        var view = view
        view.lost(Problem(.daemonNotRunning, status: 503, title: "", detail: "No daemon is listening at /s.", next: "Start it."))
        let lines = frame(width: 100).lines(view)
        #expect(lines.first == "The daemon is not running. No daemon is listening at /s.")
        #expect(lines.contains("Start it.") && !lines.contains { $0.contains("users/5") })
        view.saw(Sample.status(), [])
        #expect(frame(width: 100).lines(view).first == "All is well.")
    }

    @Test func removesControlCharactersFromServerText() {
        var view = WatchView()
        view.saw(Sample.status("a\u{1B}[2Jb\r\nc"), [lane(1, "users/\u{1B}[31m")])
        #expect(!frame(width: 80).lines(view).joined().unicodeScalars.contains { $0.properties.generalCategory == .control })
        #expect(frame(width: 80, coloured: true).lines(view)[0].hasPrefix("\u{1B}[32m"))
    }

    @Test func keepsLimitedNumberOfDeliveries() {
        var view = WatchView()
        for cursor in 1...10_000 { view.saw(Sample.event(Int64(cursor))) }
        view.saw(Sample.event(3))
        view.saw(Sample.event(20_000, "captured"))
        #expect(view.delivered.count == WatchView.kept && view.delivered.first?.cursor == 10_000)
    }

    @Test(arguments: [
        ("abc", 3), ("王", 2), ("é", 1), ("e\u{301}", 1), ("👍", 2), ("👩‍👩‍👧‍👦", 2), ("❤️", 2), ("ｱ", 1), ("Ａ", 2), ("한", 2), ("", 0),
    ])
    func countsTerminalColumns(text: String, columns: Int) { #expect(text.columns == columns) }

    @Test func wideNamesAreCutBetweenCharacters() {
        #expect("王小明".cut(toColumns: 6) == "王小明")
        #expect("王小明".cut(toColumns: 5) == "王小…")
        #expect("王小明".cut(toColumns: 4) == "王…")
        #expect("王小".padded(toColumns: 6) == "王小  ")
        #expect("a王".wrapped(toColumns: 10) == ["a王"])
    }

    @Test func commandsOfAnItemKeepTheirLines() {
        var view = WatchView()
        let next = "To list it, run: homing list\nTo see the next step, run: homing why ID"
        view.saw(Sample.status("1 capture was refused.", attention: [Attention(code: "dead", text: "Look.", next: next)]), [])
        let lines = frame(width: 100).lines(view)
        #expect(lines.contains("    → To list it, run: homing list") && lines.contains("      To see the next step, run: homing why ID"))
    }

    /// A cut command would do something else.
    @Test(arguments: [40, 41, 60], [nil, 8, 12, 30]) func commandLongerThanALineStaysWhole(width: Int, height: Int?) {
        let command = "homing fix 3f2a91c04b01 --user 'Anna Maximiliana Example' --backend breathesafe"
        var view = WatchView()
        let item = Attention(code: "dead", text: "1 capture was refused.", next: "To send it for another person, run: \(command)")
        view.saw(Sample.status("1 capture needs your decision.", attention: [item]), [lane(1, "users/28"), lane(2, "users/29")])
        let lines = frame(width: width, height: height, footer: "q to quit").lines(view)
        #expect(!lines.contains { $0.contains("homing fix") && !$0.hasSuffix("run: \(command)") }, "\(lines)")
        #expect(lines.contains { $0.hasSuffix("run: \(command)") } == (height != 8), "\(lines)")
        let rows = lines.reduce(0) { $0 + max(1, ($1.columns + width - 1) / width) }
        #expect(height == nil || rows == height, "\(lines)")
    }

    @Test func longWordsAreBrokenBetweenCharactersUnlessTheyAreToBeCopied() {
        #expect("am 王小明王小明".wrapped(toColumns: 5) == ["am", "王小", "明王", "小明"])
        #expect("e\u{301}e\u{301}e\u{301}".wrapped(toColumns: 2) == ["e\u{301}e\u{301}", "e\u{301}"])
        #expect("王a".pieces(ofColumns: 1) == ["王", "a"] && "".pieces(ofColumns: 3) == [""])
        #expect("to https://lab.example".wrapped(toColumns: 10) == ["to", "https://lab.example"])
        #expect("run ‘homing list --state failed’.".wrapped(toColumns: 10) == ["run", "‘homing list --state failed’."])
    }
}
