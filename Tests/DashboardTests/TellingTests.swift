import ControlAPI
import Foundation
import SyncModel
import Testing

@testable import Dashboard

/// The daemon's sentences on a page in another language than English.
@Suite struct TellingTests {
    private let sample = Sample(text: "breathesafe")
    private let desk = Sample.desk(.vietnamese)
    private static let english = "An English sentence."

    /// True if the text has neither the daemon's sentence, nor a value that was not filled in.
    private func isTranslated(_ html: HTML?) -> Bool {
        guard let source = html?.source else { return false }
        return !source.contains(Self.english) && !source.contains("lang=\"en\"") && !source.contains("{")
    }

    private func why(_ cause: Explanation.Cause, _ facts: SentenceFacts?, needsPerson: Bool = true) -> Explanation {
        var why = Explanation(
            id: "1", state: "dead", sentence: Self.english, next: "\(Self.english) Run: homing why 1", needsPerson: needsPerson)
        (why.cause, why.facts) = (cause.rawValue, facts)
        return why
    }

    @Test(arguments: Explanation.Cause.allCases.filter { $0 != .unknown }) func tellsEveryCause(cause: Explanation.Cause) {
        for facts in [sample.facts, SentenceFacts()] {
            #expect(isTranslated(desk.told(why(cause, facts), of: sample.entry())))
            for needsPerson in [true, false] {
                #expect(isTranslated(desk.step(why(cause, facts, needsPerson: needsPerson), of: sample.entry())))
            }
        }
    }

    @Test(arguments: Attention.Code.allCases.filter { $0 != .unknown }) func tellsEveryProblem(code: Attention.Code) {
        for facts in [sample.facts, SentenceFacts()] {
            var item = Attention(code, Self.english, next: Self.english, backend: "breathesafe")
            item.facts = facts
            #expect(isTranslated(desk.told(item)) && isTranslated(desk.step(item)))
        }
    }

    @Test func namesTheValuesThatTheDaemonStates() {
        var facts = SentenceFacts()
        (facts.count, facts.least, facts.entry) = (1000, true, "00000000-0000-7000-8000-00000000000a")
        #expect(
            desk.told(why(.behind, facts), of: sample.entry()).source
                == "<bdi>Có ít nhất 1.000 mục ở trước mục này. Mục đầu tiên là 00000000000a.</bdi> ")
        facts = SentenceFacts()
        (facts.reason, facts.at) = ("offline", Sample.now.addingTimeInterval(300))
        #expect(
            desk.told(why(.cooling, facts), of: sample.entry()).source
                == "<bdi>Mục này chờ: không kết nối được với máy chủ. Homing thử lại lúc 14:20.</bdi> ")
        // A try whose time has come has none to name.
        facts.at = Sample.now
        #expect(!desk.told(why(.cooling, facts), of: sample.entry()).source.contains("thử lại"))
    }

    @Test func sentencesOfTheDaemonHaveShortIDs() {
        let sentence = "It waits for entry 00000000-0000-7000-8000-00000000000a."
        let why = Explanation(id: "1", state: "pending", sentence: sentence, next: nil, needsPerson: false)
        #expect(Sample.desk(.english).told(why, of: sample.entry()).source == "<bdi>It waits for entry 00000000000a.</bdi>")
        #expect(desk.told(why, of: sample.entry()).source == "<bdi lang=\"en\">It waits for entry 00000000000a.</bdi>")
    }

    @Test func generalWordsStandForMissingNames() {
        #expect(desk.text("why.discarded")?.source == "Một người đã bỏ mục này. Nội dung của nó đã bị xóa.")
        #expect(desk.text("why.signed-out")?.source == "Mục này chờ một tài khoản đăng nhập. Homing chỉ gửi nó với tài khoản đó.")
        #expect(desk.text("why.no-profile")?.source == "Máy chủ không còn hồ sơ trên trạm này.")
        #expect(desk.text("why.no-profile", at: "breathesafe")?.source == "breathesafe không còn hồ sơ trên trạm này.")
        #expect(desk.text("why.nothing-of-the-kind")?.source == nil)
    }

    @Test func advisesNoRetryThatCouldMakeASecondOne() {
        var entry = sample.entry()
        let facts = SentenceFacts { $0.reason = Explanation.doubtful }
        #expect(desk.step(why(.refused, facts), of: entry)?.source.contains("hãy thử lại") == true)
        entry.retryMayDuplicate = true
        let step = desk.step(why(.refused, facts), of: entry)?.source
        #expect(step?.contains("thử lại") == false && step?.contains("Hãy tìm nó tại breathesafe") == true)
        #expect(desk.told(why(.refused, facts), of: entry).source.contains("Dù vậy, nó có thể đã có hiệu lực."))
        #expect(!desk.told(why(.refused, SentenceFacts()), of: entry).source.contains("Dù vậy"))
    }

    /// As the button beside it does, and only for an entry whose person may be the cause.
    @Test(
        arguments: [
            (.refused, [.fix], true), (.refusedForNow, [.fix, .discard], true), (.refused, [.discard], false), (.forbidden, [.fix], false),
        ] as [(Explanation.Cause, [Explanation.Change], Bool)])
    func advisesToFixThePersonOfARefusedEntry(cause: Explanation.Cause, changes: [Explanation.Change], isAdvised: Bool) {
        var refused = why(cause, SentenceFacts())
        refused.changes = changes.map(\.rawValue)
        let step = desk.step(refused, of: sample.entry())?.source
        #expect(step?.contains("Nếu mục này được gửi nhầm người, hãy sửa người.") == isAdvised, "\(step ?? "")")
    }

    @Test func wordsOfOthersStayAsTheyAre() {
        var facts = SentenceFacts()
        (facts.account, facts.status, facts.words) = ("anna@clinic.example", 422, "Arkit data is <invalid>.")
        let source = desk.told(why(.refused, facts), of: sample.entry()).source
        #expect(source.hasSuffix("<q><bdi>Arkit data is &lt;invalid&gt;.</bdi></q>") && source.contains("Mã HTTP: 422."))
        #expect(desk.answer("breathesafe answered: No.", status: 422, at: "breathesafe")?.source == "<q><bdi>No.</bdi></q>")
        let status = desk.answer("breathesafe answered with status 503.", status: 503, at: "breathesafe")
        #expect(status?.source == "<bdi>Mã HTTP: 503.</bdi>")
        #expect(desk.answer("The backend does not answer.", status: nil, at: "breathesafe")?.source == nil)
    }

    /// In a language that the page does not know.
    @Test func wordsOfAProfileAreMarked() {
        var entry = sample.entry()
        entry.title = RosterTitle(one: "fit test", many: "fit tests")
        entry.subject?.label = "Anna Example"
        #expect(desk.name(entry).source == "<bdi lang=\"\">Fit test</bdi> · <bdi>Anna Example (breathesafe)</bdi>")
        entry.title = RosterTitle(one: "new person", many: "new people", kind: .new, word: "person")
        #expect(desk.name(entry.kind, of: nil).source == "Thêm mới (<bdi lang=\"\">person</bdi>)")
        #expect(Questions.delivered(entry, desk).body.source.contains("Thêm mới (<bdi lang=\"\">person</bdi>)"))
        #expect(Sample.desk().name(entry).source == "<bdi>New person of Anna Example (breathesafe)</bdi>")
        var page = sample.roster
        page.roster.title = RosterTitle(one: "person", many: "people")
        let source = PeoplePage(lists: [page.roster, page.roster], chosen: page).page(desk).body.source
        #expect(source.contains("<h1 dir=\"auto\"><bdi lang=\"\">People</bdi></h1>") && !source.contains("<bdi>People</bdi>"))
    }

    @Test func failingRoutesAndListsAreNamedInTheLanguageOfThePage() {
        let kind = RosterTitle(one: "new person", many: "new people", kind: .new, word: "person")
        let refused = attention(.routeFailing) { ($0.count, $0.name, $0.title) = (2, kind.one, kind) }
        #expect(desk.told(refused).source.contains("một mục thuộc loại “Thêm mới (<bdi lang=\"\">person</bdi>)”. 2 mục khác đang chờ."))
        let capture = RosterTitle(one: "capture", many: "captures", kind: .capture, word: "capture")
        let alone = attention(.routeFailing) { ($0.count, $0.name, $0.title) = (0, capture.one, capture) }
        #expect(desk.told(alone).source.contains("đã từ chối một mục thuộc loại “Lần đo”.</bdi>"))
        // A daemon that states no title.
        let older = attention(.routeFailing) { ($0.name, $0.since) = ("fit test", Sample.now) }
        #expect(desk.told(older).source.contains("thuộc loại “<bdi lang=\"\">fit test</bdi>” từ 14:15."))
        let list = attention(.listFailing) { ($0.name, $0.title) = ("people", RosterTitle(one: "person", many: "people")) }
        #expect(desk.told(list).source.contains("danh sách <bdi lang=\"\">people</bdi> của breathesafe"))
        let subject = SubjectReport(resource: "people", field: "user_id", id: "@1", label: "Anna Example", isNew: true)
        let dead = attention(.dead) { ($0.count, $0.name, $0.subject) = (3, "Anna Example (new)", subject) }
        #expect(desk.told(dead).source.contains("Tất cả là của Anna Example (mới)."))
    }

    /// Its sentences stay, and are marked as English.
    @Test func daemonWithoutValuesSpeaksEnglish() {
        let item = Attention(code: "a-newer-problem", text: Self.english, next: Self.english)
        let entry = sample.entry()
        for html in [desk.told(why(.refused, nil), of: entry), desk.told(why(.unknown, sample.facts), of: entry), desk.told(item)] {
            #expect(html.source == "<bdi lang=\"en\">\(Self.english)</bdi>")
        }
    }

    @Test func englishPagesHaveTheSentencesOfTheDaemon() {
        let desk = Sample.desk()
        #expect(desk.told(why(.refused, sample.facts), of: sample.entry()).source == "<bdi>\(Self.english)</bdi>")
        #expect(desk.told(status()).source == "<bdi>\(Self.english)</bdi>")
    }

    // MARK: The first line

    private func status(_ change: (inout Status) -> Void = { _ in }) -> Status {
        var backend = sample.backend
        (backend.gate, backend.gateReason, backend.nextTry, backend.otherAccounts) = ("open", nil, nil, [])
        backend.queue = QueueReport(delivered: 5)
        var status = Status(
            sentence: Self.english, attention: [], backends: [backend], spool: nil, version: "1", startedAt: Sample.now, cursor: 7)
        change(&status)
        return status
    }

    private func first(_ change: (inout Status) -> Void = { _ in }) -> String {
        let html = desk.told(status(change))
        #expect(isTranslated(html), "\(html.source)")
        return html.source.replacing(/<[^>]*>/, with: "")
    }

    private func attention(_ code: Attention.Code, _ set: (inout SentenceFacts) -> Void) -> Attention {
        Attention(code, Self.english, next: Self.english, backend: "breathesafe").stating(set)
    }

    @Test func tellsOfAPauseAndOfTheMissingSignIn() {
        let told = why(.paused, SentenceFacts { ($0.person, $0.account) = ("bob", "ann@lab.test") })
        let sentence = desk.told(told, of: sample.entry()).source.replacing(/<[^>]*>/, with: "")
        #expect(sentence.contains("Mục này cũng chờ ann@lab.test đăng nhập."), "\(sentence)")
        let step = desk.step(told, of: sample.entry())?.source.replacing(/<[^>]*>/, with: "") ?? ""
        #expect(step.hasPrefix("Hãy tiếp tục gửi ở trang tổng quan. ann@lab.test cần đăng nhập."), "\(step)")
        let refused = why(.paused, SentenceFacts { ($0.person, $0.reason, $0.status) = ("bob", "refused", 404) })
        let also = desk.told(refused, of: sample.entry()).source.replacing(/<[^>]*>/, with: "")
        #expect(also.contains(" breathesafe đã từ chối mục này. Mã HTTP: 404."), "\(also)")
    }

    @Test func tellsWhetherAllIsDelivered() {
        #expect(first() == "Mọi thứ đã được gửi: 5 mục. Không còn gì đang chờ.")
        #expect(first { $0.backends[0].queue = QueueReport(discarded: 2) } == "Không có gì đang chờ. 2 mục đã bị bỏ.")
        let discarding = first { $0.backends[0].queue = QueueReport(discarded: 2, discarding: 1) }
        #expect(discarding == "Không có gì đang chờ. 2 mục đã bị bỏ. 1 mục đang bị bỏ và vẫn có thể khôi phục.")
        #expect(first { $0.backends[0].queue = QueueReport() } == "Sẵn sàng: chưa có lần đo nào.")
        #expect(first { $0.backends[0].queue.pending = 2 } == "2 mục đang trên đường đến breathesafe.")
    }

    @Test func tellsWhyEntriesWait() {
        let cooling = first {
            $0.backends[0].queue.pending = 2
            ($0.backends[0].gate, $0.backends[0].gateCause) = ("cooling", "offline")
        }
        #expect(cooling == "2 mục cho breathesafe an toàn ở đây và đang chờ: không kết nối được với máy chủ.")
        let paused = first {
            $0.backends[0].queue.pending = 2
            $0.backends[0].pause = PauseReport(
                backend: "breathesafe", reason: "", since: Sample.now, until: Sample.now.addingTimeInterval(3600), by: "bob")
        }
        #expect(paused == "2 mục an toàn ở đây. bob đã tạm dừng việc gửi đến breathesafe đến 15:15.")
        let refused = first {
            $0.backends[0].queue.pending = 2
            $0.backends[0].pause = PauseReport(backend: "breathesafe", reason: "", since: Sample.now, until: nil, by: "bob")
            var route = CoolingRoute(route: "measurement", since: Sample.now, until: Sample.now, reason: "R.")
            let other = CoolingRoute(route: "fit_test", since: Sample.now, until: Sample.now, reason: "R.")
            route.entry = "00000000-0000-7000-8000-000000000001"
            $0.backends[0].coolingRoutes = [route, other]
        }
        let words = "2 mục an toàn ở đây. bob đã tạm dừng việc gửi đến breathesafe. breathesafe đã từ chối một mục thuộc loại “"
        #expect(refused.hasPrefix(words) && refused.ranges(of: "thuộc loại").count == 1, "\(refused)")
        let signedOut = first {
            $0.backends[0].queue.pending = 2
            ($0.backends[0].session.state, $0.backends[0].session.email) = ("signInRequired", "anna@clinic.example")
        }
        #expect(signedOut == "2 mục an toàn ở đây và chỉ được gửi đến breathesafe khi anna@clinic.example đăng nhập.")
    }

    /// The notice about the sign-in counts them too.
    @Test func tellsOfFilesThatWaitForASignIn() {
        let spool = SpoolReport(directory: "/spool", waiting: 1, refused: 0, unclaimed: 2)
        #expect(first { $0.spool = spool } == "3 tệp trong thư mục nhận tệp đang chờ.")
        let asked = first {
            $0.spool = spool
            $0.attention = [attention(.unclaimedFiles) { $0.count = 2 }]
        }
        #expect(asked.hasPrefix("1 tệp trong thư mục nhận tệp đang chờ. 2 tệp được đặt vào khi chưa đăng nhập."), "\(asked)")
    }

    @Test func tellsOfFilesInAFailingDropFolderOnce() {
        let failing = first {
            $0.spool = SpoolReport(directory: "/spool", waiting: 2, refused: 0)
            $0.attention = [attention(.dropFolderFailing) { $0.count = 2 }]
        }
        #expect(failing == "Homing không lấy được tệp từ thư mục nhận tệp. 2 tệp đang chờ ở đó.")
    }

    @Test func tellsOfProblemsInTheOrderOfTheDaemon() {
        let failed = first {
            $0.backends[0].queue = QueueReport(pending: 4, held: 1, dead: 1, blocked: 3)
            $0.attention = [attention(.refusedFiles) { $0.count = 2 }]
        }
        #expect(
            failed == "2 mục thất bại hoặc bị giữ lại và cần bạn quyết định. 3 mục đang chờ sau chúng. "
                + "1 mục đang trên đường đến breathesafe. 2 tệp bị từ chối và chưa được gửi.")
        let low = first { $0.attention = [attention(.diskLow) { $0.bytes = 640 << 20 }] }
        #expect(low.hasSuffix("Đĩa sắp đầy: còn trống 640 MiB."))
        let full = first { $0.attention = [Attention(.diskFull, Self.english, next: Self.english)] }
        #expect(full == "Đĩa đầy: Homing không nhận lần đo mới.")
    }

    @Test func namesAnUnclaimedFile() {
        let item = attention(.unclaimedFiles) { ($0.count, $0.account, $0.path) = (3, "anna@clinic.example", "users/5/a.json") }
        #expect(desk.told(item).source.replacing(/<[^>]*>/, with: "").contains("Tệp đầu tiên được đặt vào tại new/users/5/a.json."))
        let older = attention(.unclaimedFiles) { ($0.count, $0.account) = (3, "anna@clinic.example") }
        #expect(isTranslated(desk.told(older)) && !desk.told(older).source.contains("đầu tiên"))
    }

    // MARK: Lists, sessions and problems

    @Test(arguments: ["unread", "complete", "incomplete", "signedOut"]) func tellsTheStateOfAList(state: String) {
        var page = sample.roster
        (page.roster.state, page.roster.sentence, page.roster.count, page.roster.total) = (state, Self.english, 4, 9)
        (page.roster.readAt, page.roster.reason) = (Sample.now, state == "incomplete" ? "limit" : nil)
        for cause in [nil, "offline", "serverError"] {
            for isPaused in [nil, true] {
                (page.roster.failureCause, page.roster.paused) = (cause, isPaused)
                for find in ["", "Anna"] { #expect(isTranslated(desk.told(page, find: find))) }
            }
        }
        guard state == "incomplete" else { return }
        (page.roster.failureCause, page.roster.paused, page.roster.new, page.roster.created) = (nil, nil, 1, 2)
        #expect(
            desk.told(page, find: "").source
                == "<bdi>Danh sách <bdi lang=\"\">breathesafe</bdi> tại breathesafe có 4 dòng. Lần đọc: 14:15. "
                + "Sau đó, 2 dòng đã được thêm. 1 dòng mới chưa được tạo. Homing chỉ giữ 4 trên 9 dòng.</bdi>")
    }

    @Test func accountsAreToldWithoutEnglish() {
        var status = sample.status
        status.backends[0].session.failingSince = Sample.now
        for (gate, cause) in [("cooling", "tls"), ("paused", nil), ("open", nil)] as [(String, String?)] {
            for state in ["signedIn", "signInRequired", "signingOut", "signedOut"] {
                (status.backends[0].gate, status.backends[0].gateCause, status.backends[0].session.state) = (gate, cause, state)
                #expect(isTranslated(AccountsPage(status: status).page(desk).body))
            }
        }
    }

    @Test func problemKeepsTheDetailsOfTheDaemonApart() {
        let problem = Problem(.wrongState, status: 409, title: "t", detail: Self.english, next: Self.english)
        #expect(isTranslated(desk.told(problem)))
        #expect(desk.explain(problem).source.contains("<details><summary>Chi tiết (tiếng Anh)</summary>"))
        let down = Problem(.daemonNotRunning, status: 503, title: "t", detail: Self.english, next: Self.english)
        #expect(isTranslated(desk.explain(down)))
    }

    private func refused(
        _ code: Problem.Code, _ reason: Problem.Reason, _ set: (inout SentenceFacts) -> Void = { _ in }
    ) -> Problem {
        Problem(code, status: 400, title: "t", detail: Self.english, next: Self.english).stating(reason, set)
    }

    @Test func mistakesInAFormAreToldWithoutEnglish() {
        let problems: [(Problem, String)] = [
            (refused(.invalidRequest, .reasonTooLong) { ($0.count, $0.limit) = (1234, 200) }, "Lý do có 1.234 ký tự; tối đa là 200."),
            (refused(.invalidRequest, .notAServerID) { $0.words = "a <b>" }, "<q><bdi>a &lt;b&gt;</bdi></q> không phải là mã"),
            (refused(.wrongState, .rowTaken) { $0.entry = "00000000-0000-7000-8000-00000000000a" }, "Mục 00000000000a đã tạo"),
            (refused(.wrongState, .beingDiscarded) { $0.at = Sample.now }, "sẽ bị xóa lúc 14:15."),
            (refused(.notListed, .beingDeleted), "Đối tượng này sẽ bị xóa"),
        ]
        for (problem, words) in problems {
            #expect(desk.told(problem).source.contains(words), "\(words)")
            #expect(isTranslated(desk.told(problem)) && isTranslated(desk.step(problem)) && desk.details(problem)?.source == nil)
            #expect(isTranslated(desk.explain(problem)))
        }
    }

    /// Of every reason, also without its values.
    @Test(arguments: Problem.Reason.allCases) func tellsEveryReason(reason: Problem.Reason) {
        for code in [Problem.Code.invalidRequest, .wrongState, .notListed, .notFound, .signInRequired] {
            for facts in [sample.facts, SentenceFacts()] {
                let problem = refused(code, reason) { $0 = facts }
                #expect(isTranslated(desk.told(problem)))
                if let step = desk.step(problem) { #expect(isTranslated(step)) }
            }
        }
    }

    private func failedSignIn(_ reason: Failure.Reason, wait: Int? = nil) -> Problem {
        Problem(.backendUnreachable, status: 503, title: "t", detail: Self.english, next: Self.english)
            .stating { ($0.reason, $0.wait) = (reason.rawValue, wait) }
    }

    @Test(
        arguments: [
            (.throttled, "yêu cầu chờ", "sau vài phút"), (.serverError, "máy chủ gặp lỗi", "sau vài phút"),
            (.intercepted, "một trang đăng nhập", "đăng nhập vào mạng trước"), (.tls, "kết nối an toàn", "người quản trị mạng"),
            (.clock, "đồng hồ của trạm", "chỉnh đồng hồ"), (.offline, "không kết nối được", "cần có mạng"),
            (.lostAnswer, "mất câu trả lời", "kiểm tra mạng"),
        ] as [(Failure.Reason, String, String)])
    func failedSignInHasTheAdviceOfItsReason(reason: Failure.Reason, sentence: String, advice: String) {
        let problem = failedSignIn(reason)
        #expect(isTranslated(desk.told(problem)) && isTranslated(desk.step(problem)))
        #expect(desk.told(problem).source.contains(sentence))
        #expect(desk.step(problem)?.source.contains(advice) == true)
    }

    @Test func throttledSignInNamesTheWaitInWholeMinutes() {
        for (wait, length) in [(300, "5 phút"), (20, "1 phút"), (61, "2 phút")] {
            #expect(desk.step(failedSignIn(.throttled, wait: wait))?.source.contains("sau \(length).") == true)
        }
    }

    @Test func unknownReasonLeavesTheSentenceOfTheCode() {
        var problem = failedSignIn(.offline)
        problem.facts?.reason = "a-newer-reason"
        #expect(desk.told(problem).source == "<bdi>Không kết nối được với máy chủ.</bdi>")
        #expect(isTranslated(desk.step(problem)))
    }
}
