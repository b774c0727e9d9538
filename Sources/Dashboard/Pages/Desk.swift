import ControlAPI
import Foundation

/// The values that every page needs: the language, the addresses, and the time.
struct Desk: Sendable {
    let words: Catalogue
    /// `/` and the place.
    let root: String
    /// Proves that a form is from this dashboard; see `Keys`.
    let formKey: String
    /// Identifies this run of the dashboard; see `Keys`.
    let run: String
    let moment: Moment
    /// The person's role, as far as it is known.
    let access: Access

    init(words: Catalogue, keys: Keys, now: Date = Date(), timeZone: TimeZone = .current, access: Access = .administer) {
        self.words = words
        self.access = access
        root = "/\(keys.place)"
        (formKey, run) = (keys.form, keys.run)
        moment = Moment(now: now, timeZone: timeZone)
    }

    func link(_ path: String..., query: KeyValuePairs<String, String> = [:]) -> String { link(path, query: query) }

    func link(_ path: [String], query: KeyValuePairs<String, String> = [:]) -> String {
        let fields = query.map { "\(Visit.encoded($0.key))=\(Visit.encoded($0.value))" }.joined(separator: "&")
        return "\(root)/" + path.map(Visit.encoded).joined(separator: "/") + (fields.isEmpty ? "" : "?\(fields)")
    }

    /// An absolute time, which stays true while the page is open.
    func time(_ date: Date) -> HTML { time(date, clock(date)) }
    func preciseTime(_ date: Date) -> HTML {
        time(date, words.isEnglish ? moment.precise(date) : clock(date, style: "HH:mm:ss"))
    }

    private func time(_ date: Date, _ text: String) -> HTML { "<time datetime=\"\(JSONCoding.text(date))\">\(text)</time>" }

    func clock(_ date: Date) -> String { words.isEnglish ? moment.text(date) : clock(date, style: "HH:mm") }

    private func clock(_ date: Date, style: String) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = moment.timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let seconds = style.hasSuffix("ss") ? ":\(Self.two(parts.second))" : ""
        let time = "\(Self.two(parts.hour)):\(Self.two(parts.minute))\(seconds)"
        if calendar.isDate(date, inSameDayAs: moment.now) { return time }
        return "\(time) \(Self.two(parts.day))/\(Self.two(parts.month))/\(parts.year ?? 0)"
    }

    /// `11 Mar`, in Vietnamese `11/03`.
    func day(_ date: Date, in timeZone: TimeZone = .gmt) -> String {
        guard !words.isEnglish else { return Moment(now: moment.now, timeZone: timeZone).day(date) }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.month, .day], from: date)
        return "\(Self.two(parts.day))/\(Self.two(parts.month))"
    }

    private static func two(_ number: Int?) -> String { String("0\(number ?? 0)".suffix(2)) }

    enum Weight: String { case main, quiet, grave }

    /// A form of one button.
    ///
    /// - Parameter about: completes the button's name for a screen reader; nil if the label is enough.
    func button(
        _ label: String, _ path: [String], _ weight: Weight = .main, about: String? = nil, fields: KeyValuePairs<String, String> = [:]
    ) -> HTML {
        let hidden: [HTML] = fields.map { "<input type=\"hidden\" name=\"\($0.key)\" value=\"\($0.value)\">" }
        return """
            <form method="post" action="\(link(path))">\(key)\(hidden)<button class="\(weight.rawValue)"><bdi>\(label)</bdi>\(hint(about))</button></form>
            """
    }

    func go(_ label: String, _ address: String, _ weight: Weight = .main, about: String? = nil) -> HTML {
        "<a class=\"button \(weight.rawValue)\" href=\"\(address)\"><bdi>\(label)</bdi>\(hint(about))</a>"
    }

    /// For forms with visible fields.
    var key: HTML { "<input type=\"hidden\" name=\"form\" value=\"\(formKey)\">" }

    private func hint(_ about: String?) -> HTML? { about.map { "<span class=\"unseen\"> \(HTML.outside($0))</span>" } }

    /// A sentence of the daemon, which writes English. In another language, only where the daemon states no values for it.
    func said(_ text: String) -> HTML {
        let text = text.withShortIDs
        return words.isEnglish ? .outside(text) : "<bdi lang=\"en\">\(text)</bdi>"
    }

    /// Words of a profile. An empty `lang` says that their language is unknown.
    func foreign(_ text: String) -> HTML { words.isEnglish ? .outside(text) : "<bdi lang=\"\">\(text)</bdi>" }
}

/// One page, without the frame around it.
struct Page: Sendable {
    enum Tab: String, CaseIterable { case overview, people, queue, delivered, figures, accounts }

    var title: String
    var tab: Tab?
    var body: HTML
    var status = 200
    /// Events of the daemon update it.
    var isLive = true

    init(_ title: String, tab: Tab? = nil, status: Int = 200, isLive: Bool = true, _ body: HTML) {
        (self.title, self.tab, self.status, self.isLive, self.body) = (title, tab, status, isLive, body)
    }
}

extension Desk {
    /// The whole document.
    ///
    /// - Parameter notice: what the last action did.
    func document(_ page: Page, notice: String? = nil) -> HTML {
        let tabs: [HTML] = Page.Tab.allCases.map { tab in
            let address = tab == .overview ? link() : link(tab.rawValue)
            let current: HTML = tab == page.tab ? " aria-current=\"page\"" : ""
            return "<li><a href=\"\(address)\"\(current)>\(words["tab.\(tab.rawValue)"])</a></li>"
        }
        let live: HTML = page.isLive ? " data-events=\"\(link("events"))\"" : ""
        let told: HTML? = notice.map { "<p class=\"notice\" role=\"status\">\($0)</p>" }
        return """
            <!doctype html>
            <html lang="\(words.language)" data-run="\(run)"\(live)>
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(page.title) · Homing</title>
            <link rel="icon" href="\(link("icon.svg"))">
            <link rel="stylesheet" href="\(link("style.css"))">
            <script type="module" src="\(link("page.js"))"></script>
            </head>
            <body>
            <a class="skip" href="#main">\(words["skip"])</a>
            <header><p class="name">Homing</p><nav aria-label="\(words["pages"])"><ul>\(tabs)</ul></nav></header>
            <p id="lost" class="lost" role="status" data-restarting="\(words["lost.restarting"])" data-silent="\(words["lost.silent"])" \
            data-ended="\(words["lost.ended"])"></p>
            <main id="main" tabindex="-1">\(told)\(page.body)</main>
            <button id="changed" class="changed" hidden>\(words["changed"])</button>
            <footer>\(languages)</footer>
            </body>
            </html>
            """
    }

    private var languages: HTML {
        let links: [HTML] = Catalogue.all.map { other in
            let current: HTML = other.language == words.language ? " aria-current=\"true\"" : ""
            return """
                <li><a href="\(link("language", other.language))" lang="\(other.language)" hreflang="\(other.language)"\(current)>\
                \(other["language"])</a></li>
                """
        }
        return "<ul aria-label=\"\(words["languages"])\">\(links)</ul>"
    }
}
