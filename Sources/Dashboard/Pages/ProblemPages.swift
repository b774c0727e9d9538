import ControlAPI

extension Desk {
    /// An answer of the daemon that is a problem. Without a daemon the page waits for it.
    func page(_ problem: Problem) -> Page {
        let isDown = problem.code == .daemonNotRunning || problem.code == .stopping
        let title = words[isDown ? "down" : "failed"]
        let safe: HTML? = isDown ? "<p class=\"faint\">\(words["down.safe"])</p>" : nil
        return Page(
            title, status: isDown ? 503 : problem.status, isLive: isDown || problem.code == .timeout,
            """
            <h1>\(title)</h1><div id="problem" role="alert">\(explain(problem))</div>\(safe)
            <p>\(go(words["back"], link(), .quiet))</p>
            """)
    }

    var notFound: Page {
        Page(words["not.found"], status: 404, "<h1>\(words["not.found"])</h1><p>\(go(words["back"], link(), .quiet))</p>")
    }
}

extension Catalogue {
    /// For a stranger: without addresses, style and secrets.
    func refusal(_ refusal: Doorkeeper.Refusal) -> HTML { Self.plainPage(language, ["<p>\(self["refused.\(refusal.rawValue)"])</p>"]) }

    /// Where the header with the preferred language was not read.
    static func refusalInEveryLanguage(_ refusal: Doorkeeper.Refusal) -> HTML {
        plainPage(english.language, all.map { "<p lang=\"\($0.language)\">\($0["refused.\(refusal.rawValue)"])</p>" })
    }

    private static func plainPage(_ language: String, _ texts: [HTML]) -> HTML {
        """
        <!doctype html>
        <html lang="\(language)">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Homing</title></head>
        <body><h1>Homing</h1>\(texts)</body>
        </html>
        """
    }
}
