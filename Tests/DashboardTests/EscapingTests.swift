import Testing

@testable import Dashboard

@Suite struct EscapingTests {
    static let hostile = [
        "\"><script>alert(1)</script>", "' onfocus='alert(1)", "</title></svg></textarea><img src=x onerror=alert(1)>",
        "&quot; &#34; &lt;b&gt;",
        // One character each, but a browser reads the quote.
        "\"\u{301} onfocus=alert(1) x=\"\u{301}", "'\u{301} onfocus=alert(1)", "<\u{338}img src=x>", "\u{202E}reversed\u{0}\u{1B}[31m",
        "javascript:alert(1)", "../../other?did=x#y", "{n} {entry}", "\\u003cscript\\u003e",
    ]

    /// Removes everything but what a browser reads as markup.
    private func skeleton(_ html: HTML) -> String {
        String(String.UnicodeScalarView(html.source.unicodeScalars.filter { "<>\"'`".unicodeScalars.contains($0) }))
    }

    @Test(arguments: hostile, Catalogue.all.map(\.language)) func textNeverBecomesMarkup(text: String, language: String) async throws {
        let desk = Sample.desk(try #require(Catalogue.named(language)))
        let plain = try await Sample(text: "Anna").pages(desk)
        let pages = try await Sample(text: text).pages(desk)
        for (page, like) in zip(pages, plain) {
            let (document, harmless) = (desk.document(page), desk.document(like))
            #expect(skeleton(document) == skeleton(harmless), "\(page.title)")
            #expect(!document.source.unicodeScalars.contains { $0.properties.generalCategory == .control && $0 != "\n" })
        }
    }

    @Test func linksStayBelowThePlace() async throws {
        let desk = Sample.desk()
        for text in Self.hostile {
            for page in try await Sample(text: text).pages(desk) {
                for match in desk.document(page).source.matches(of: #/(?:href|action|src|data-events)="([^"]*)"/#) {
                    let address = match.output.1
                    #expect(address.hasPrefix("#") || address.hasPrefix("\(desk.root)/"), "\(address)")
                    #expect(!address.contains("/../"), "\(address)")
                }
            }
        }
    }

    @Test func pagesHaveNoScriptOrStyleOfTheirOwn() async throws {
        for page in try await Sample().pages(Sample.desk()) {
            let source = Sample.desk().document(page).source
            #expect(!source.contains(" style=") && !source.contains("<style") && source.matches(of: /<script/).count == 1)
            #expect(source.firstMatch(of: /\son[a-z]+=/) == nil)
        }
    }

    @Test func interpolatedMarkupIsNotEscaped() {
        let inner: HTML = "<b>\("<")</b>"
        let none: HTML? = nil
        #expect(("<p>\(inner)\([inner])\(none)\(3)\("&\"'")</p>" as HTML).source == "<p><b>&lt;</b><b>&lt;</b>3&amp;&quot;&#39;</p>")
    }
}
