import ControlAPI
import Foundation
import NIOCore
import Testing

@testable import Dashboard

@Suite struct PageTests {
    private let sample = Sample(text: "breathesafe")
    private func source(_ page: Page) -> String { page.body.source }

    @Test func moodFollowsTheStatus() {
        var overview = Overview(status: sample.status)
        #expect(overview.mood == .attention)
        overview.status.attention = []
        #expect(overview.mood == .waiting)
        overview.status.backends = []
        #expect(overview.mood == .good)
        overview.status.spool?.waiting = 1
        #expect(overview.mood == .waiting)
    }

    @Test func firstPageShowsEachProblemWithItsButton() {
        let page = source(sample.overview.page(Sample.desk()))
        let root = Sample.desk().root
        for action in ["entry/breathesafe/retry", "sync", "resume", "claim", "entry/breathesafe/restore"] {
            #expect(page.contains("method=\"post\" action=\"\(root)/\(action)\""), "\(action)")
        }
        for link in [
            "entry/breathesafe/fix", "entry/breathesafe/discard", "accounts/sign-in?backend=breathesafe", "file/discard?name=breathesafe",
        ] {
            #expect(page.contains("href=\"\(root)/\(link)\""), "\(link)")
        }
    }

    @Test func entryWithUnknownOutcomeIsResolvedAndNotRetried() {
        let page = source(sample.story("dead").page(Sample.desk()))
        #expect(!page.contains("/retry\"") && !page.contains("/fix\"") && page.contains("/resolve\"") && page.contains("/discard\""))
        let sent = source(sample.story("inflight").page(Sample.desk()))
        #expect(!sent.contains("<button"))
    }

    @Test func deliveryIsRecordedOnlyAfterAQuestion() {
        let story = source(sample.story("dead").page(Sample.desk()))
        let address = Sample.desk().link("entry", "breathesafe", "resolve")
        #expect(story.contains("href=\"\(address)\"") && !story.contains("name=\"remote\"") && !story.contains("value=\"yes\""))
        #expect(story.contains("name=\"delivered\" value=\"no\""))
        let question = source(Questions.delivered(sample.entry(), Sample.desk()))
        #expect(question.contains("destroys its payload") && question.contains("name=\"delivered\" value=\"yes\""))
        #expect(question.contains("name=\"remote\"") && question.contains("method=\"post\" action=\"\(address)\""))
    }

    @Test(arguments: [[], [.retry], [.fix, .discard], [.resolve], [.restore]] as [[Explanation.Change]])
    func buttonsAreThoseThatTheDaemonAllows(changes: [Explanation.Change]) {
        let overview = Overview(status: sample.status, cases: [.init(entry: sample.entry(), why: sample.why(changes))])
        let story = StoryPage(detail: EntryDetail(entry: sample.entry(), attempts: []), why: sample.why(changes))
        for page in [overview.page(Sample.desk()), story.page(Sample.desk())].map(source) {
            for change in [Explanation.Change.retry, .fix, .discard, .restore] {
                #expect(page.contains("/entry/breathesafe/\(change)\"") == changes.contains(change), "\(change)")
            }
            #expect(page.contains("#resolve\"") == changes.contains(.resolve))
        }
        #expect(source(story.page(Sample.desk())).contains("id=\"resolve\"") == changes.contains(.resolve))
    }

    @Test func pagesThatNeedASignInLeadToIt() {
        let root = Sample.desk().root
        var story = sample.story("pending")
        #expect(!source(story.page(Sample.desk())).contains("/accounts/sign-in"))
        story.needsSignIn = true
        #expect(source(story.page(Sample.desk())).contains("href=\"\(root)/accounts/sign-in?backend=breathesafe\""))
        let problem = Problem(.signInRequired, status: 409, title: "", detail: "Sign in.")
        for people in [PeoplePage(lists: [], problem: problem), PeoplePage(lists: [])] {
            #expect(source(people.page(Sample.desk())).contains("href=\"\(root)/accounts/sign-in\""))
        }
        #expect(sample.status.needsSignIn(at: "breathesafe") && !sample.status.needsSignIn(at: "other"))
    }

    @Test(arguments: ["", " \u{A0}", "\u{200B}\u{200D}", "\u{202E}\u{1B}", "\u{3164}\u{FE0F}", "\u{2800}", "\u{301}"])
    func nameThatShowsNothingIsShownWithItsID(name: String) {
        var entry = sample.entry()
        entry.subject = SubjectReport(resource: "people", field: "user_id", id: "5", label: name)
        var roster = sample.roster
        roster.rows = [RosterRow(id: "5", label: name, values: [:])]
        let fixing = sample.entry()
        for words in Catalogue.all {
            let desk = Sample.desk(words)
            let nameless = words["nameless"]
            #expect(words.name(entry).contains("\(nameless) (5)"))
            entry.subject?.isNew = true
            #expect(words.name(entry).contains("\(nameless) @5"))
            entry.subject?.isNew = nil
            #expect(source(Questions.fix(fixing, roster, find: "", desk)).contains("<bdi>\(nameless)</bdi>"))
            guard !name.isEmpty else { continue }
            #expect(source(PeoplePage(lists: [], chosen: roster).page(desk)).contains("<bdi>\(nameless)</bdi>"))
        }
        entry.subject?.label = "\u{5D0}e\u{301}"
        #expect(Catalogue.english.name(entry).contains("\u{5D0}e\u{301} (5)"))
    }

    @Test func directionOfANameStaysWithinIt() async throws {
        let (desk, name) = (Sample.desk(), "\u{5D0}\u{5D1}")
        var (entry, lane, receipt, roster) = (sample.entry(), sample.lane, sample.receipt, sample.roster)
        entry.subject?.label = name
        (lane.subject, receipt.subject) = (entry.subject, entry.subject)
        roster.rows = [RosterRow(id: "5", label: name, values: [:])]
        let choice = try await DiscardChoice([entry], takesDiscarded: false) { _ async throws(Problem) in [] }
        let pages = [
            Overview(status: sample.status, cases: [.init(entry: entry, why: sample.why)], discarded: [entry], delivered: [entry]).page(
                desk),
            StoryPage(detail: EntryDetail(entry: entry, attempts: []), why: sample.why).page(desk),
            QueuePage(query: EntryQuery(user: "breathesafe"), entries: EntryPage(entries: [entry], next: nil), lanes: [lane]).page(desk),
            DeliveredPage(receipts: ReceiptPage(receipts: [receipt], next: nil)).page(desk),
            PeoplePage(lists: [], chosen: roster).page(desk), Questions.fix(entry, roster, find: "", desk),
            Questions.discard(entry, choice, desk), Questions.delivered(entry, desk), FacePage(entry: entry, face: nil).page(desk),
            FacesPage(person: desk.words.name(entry), back: EntryQuery(), overlay: FaceOverlay(captures: []), left: 0).page(desk),
        ]
        for page in pages {
            #expect(source(page).contains(name))
            let rest = source(page).replacing(/<bdi[^>]*>[^<]*<\/bdi>|<(?:h1|p) dir="auto">[^<]*(?=<)/, with: "")
            #expect(!rest.replacing(/<[^>]*>/, with: "").contains(name), "\(rest)")
        }
    }

    @Test func claimNamesTheAccount() {
        var overview = sample.overview
        overview.status.backends[0].session.email = "anna@clinic.example"
        let page = source(overview.page(Sample.desk()))
        #expect(page.contains("name=\"account\" value=\"breathesafe\"") && page.contains("send them as anna@clinic.example"))
        overview.status.backends[0].session.account = nil
        #expect(!source(overview.page(Sample.desk())).contains("/claim\""))
    }

    @Test func countsTheLanesOfTheListAlone() {
        func page(_ change: (inout LaneReport) -> Void = { _ in }, lanes: Int = 1) -> String {
            var lane = sample.lane
            change(&lane)
            let page = PeoplePage(lists: [], chosen: sample.roster, lanes: Array(repeating: lane, count: lanes))
            return source(page.page(Sample.desk()))
        }
        #expect(page().contains("3 waiting") && !page().contains("Counts may be incomplete"))
        for other in [page { $0.backend = "other" }, page { $0.account = "other" }, page { $0.subject?.resource = "other" }] {
            #expect(!other.contains("3 waiting"))
        }
        #expect(page(lanes: PeoplePage.mostLanes).contains("Counts may be incomplete: only the first 100 lanes were read."))
    }

    @Test func offersOnlyWhatWasNotRefused() {
        let rights = Rights()
        rights.refuse(["file", "discard"], isButton: true)
        rights.refuse(["entry", "1", "fix"], isButton: false)
        #expect(rights.access == .administer)
        // Files on hold are for administrators, so this says nothing about other buttons.
        rights.refuse(["claim"], isButton: true)
        #expect(rights.access == .operate)
        rights.refuse(["entry", "1", "face"], isButton: false)
        #expect(rights.access == .operate)
        let reading = Rights()
        reading.refuse(["people", "faces"], isButton: false)
        #expect(reading.access == .operate)
        let operating = Desk(words: .english, keys: Sample.keys, now: Sample.now, access: rights.access)
        let page = source(sample.overview.page(operating)) + source(sample.story("pending").page(operating))
        #expect(page.contains("/retry\"") && page.contains("/fix\"") && !page.contains("/restore\"") && !page.contains("/face\""))
        #expect(!page.contains("entry/breathesafe/discard"))
        rights.refuse(["people"], isButton: false)
        rights.refuse(["entry", "1", "discard"], isButton: true)
        let observer = Desk(words: .english, keys: Sample.keys, now: Sample.now, access: rights.access)
        let pages = [sample.overview.page(observer), sample.story("dead").page(observer)].map(source).joined()
        #expect(!pages.contains("<form") && pages.contains("queue?state=dead"))
    }

    @Test(arguments: [Access.administer, .operate]) func facesOfAPersonAreForAdministrators(access: Access) {
        let desk = Desk(words: .english, keys: Sample.keys, now: Sample.now, access: access)
        func page(user: String?) -> String {
            let query = EntryQuery(backend: "breathesafe", user: user)
            return source(QueuePage(query: query, entries: EntryPage(entries: [sample.entry("pending")], next: nil)).page(desk))
        }
        let link = "href=\"\(desk.root)/people/faces?backend=breathesafe&amp;user=5\""
        #expect(page(user: "5").contains(link) == (access == .administer))
        #expect(!page(user: nil).contains("/faces"))
    }

    @Test func pauseIsTheReasonToWait() {
        var entry = sample.entry("pending")
        func pages() -> [String] {
            let why = sample.why([])
            let list = QueuePage(query: EntryQuery(), entries: EntryPage(entries: [entry], next: nil)).page(Sample.desk())
            let story = StoryPage(detail: EntryDetail(entry: entry, attempts: []), why: why).page(Sample.desk())
            return [source(list), source(story)]
        }
        #expect(!pages().contains { $0.contains("Waits until sending resumes") } && pages()[1].contains("Next try"))
        entry.paused = true
        #expect(pages().allSatisfy { $0.contains("Waits until sending resumes") } && !pages()[1].contains("Next try"))
    }

    @Test func payloadIsGoneAfterTheDelivery() {
        let waiting = source(sample.story("pending").page(Sample.desk()))
        #expect(waiting.contains("/face\"") && !waiting.contains("was destroyed"))
        let delivered = source(sample.story("delivered").page(Sample.desk()))
        #expect(!delivered.contains("/face\"") && delivered.contains("was destroyed") && delivered.contains("Receipt"))
    }

    @Test func fixOffersOtherPeopleThatTheServerKnows() {
        let page = source(Questions.fix(sample.entry(), sample.roster, find: "", Sample.desk()))
        // One is the present person, one is new, and one is being deleted.
        #expect(!page.contains("name=\"person\""))
        var roster = sample.roster
        roster.rows.append(RosterRow(id: "7", label: "Ben Sample", values: [:]))
        #expect(source(Questions.fix(sample.entry(), roster, find: "", Sample.desk())).contains("name=\"person\" value=\"7\""))
    }

    @Test func signOutSaysWhatWaitsForWhom() {
        var backend = sample.backend
        #expect(source(AccountsPage.signOut(backend, Sample.desk())).contains("1 entry of breathesafe is waiting."))
        backend.discardedBySigningOut = 2
        #expect(
            source(AccountsPage.signOut(backend, Sample.desk())).contains("2 entries are not delivered. Signing out discards them for good")
        )
    }

    @Test func signInNeverRepeatsTheSecret() {
        let problem = Problem(.signInRefused, status: 401, title: "", detail: "Refused.")
        let page = AccountsPage.signIn(sample.backend, email: "anna@clinic.example", problem: problem, Sample.desk())
        #expect(source(page).contains("value=\"anna@clinic.example\"") && page.status == 401 && !page.isLive)
        #expect(source(page).contains("name=\"password\" type=\"password\" required"))
    }

    @Test func writesTimesAsTheLanguageDoes() {
        let earlier = Sample.now.addingTimeInterval(-86_400)
        #expect(Sample.desk().time(Sample.now).source == "<time datetime=\"2025-03-11T14:15:00.000Z\">14:15</time>")
        #expect(Sample.desk(.vietnamese).clock(earlier) == "14:15 10/03/2025")
    }

    @Test func pageIsLight() async throws {
        let assets = try ["style.css", "page.js", "icon.svg"].map { try #require(Asset.named([$0])).body.readableBytes }
        for page in try await sample.pages(Sample.desk()) {
            #expect(Sample.desk().document(page).source.utf8.count + assets.reduce(0, +) < 60_000)
        }
    }

    @Test func countsUse() {
        let (start, now) = (ContinuousClock.now, Moving())
        let usage = Usage { start + now.offset }
        #expect(usage.remaining(of: .seconds(60)) == .seconds(60))
        now.offset = .seconds(50)
        usage.touch()
        now.offset = .seconds(100)
        #expect(usage.remaining(of: .seconds(60)) == .seconds(10))
        usage.open()
        now.offset = .seconds(500)
        // An open page is use.
        #expect(usage.remaining(of: .seconds(60)) == .seconds(60))
        usage.close()
        now.offset = .seconds(560)
        #expect(usage.remaining(of: .seconds(60)) == nil)
    }

    // SAFETY: one test changes and reads it, in one task.
    private final class Moving: @unchecked Sendable { var offset = Duration.zero }
}
