import Foundation
import TestSupport
import Testing

/// The links between the Markdown pages, as GitHub follows them.
@Suite struct DocumentationTests {
    private static let project = ConfigurationTests.shipped.replacing("/config/homing.yaml", with: "")

    /// All pages except those of builds, which are in hidden folders and in `dist`.
    private func pages() throws -> [String] {
        let names = try FileManager.default.contentsOfDirectory(atPath: Self.project).filter { !$0.hasPrefix(".") && $0 != "dist" }
        let paths = names.flatMap { name in
            [name] + (FileManager.default.subpaths(atPath: "\(Self.project)/\(name)") ?? []).map { "\(name)/\($0)" }
        }
        return paths.filter { $0.hasSuffix(".md") && !$0.contains("/.") }.map { "\(Self.project)/\($0)" }
    }

    private func text(_ file: String) throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    /// The lines outside blocks of code.
    private func prose(_ page: String) -> [Substring] {
        var isCode = false
        return page.split(separator: "\n").filter { line in
            guard line.drop(while: { $0 == " " }).hasPrefix("```") else { return !isCode }
            isCode.toggle()
            return false
        }
    }

    /// The fragments that lead to the headings of a page: without punctuation, and with hyphens for spaces.
    private func fragments(_ page: String) -> Set<String> {
        let headings = prose(page).compactMap { $0.wholeMatch(of: /#+ (.+)/)?.output.1.lowercased() }
        return Set(headings.map { $0.filter { $0.isLetter || $0.isNumber || "_- ".contains($0) }.replacing(" ", with: "-") })
    }

    private func relativeLinks(_ page: String) -> [String] {
        let lines = prose(page).map { $0.replacing(/`[^`]*`/, with: "") }
        return lines.flatMap { $0.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.output.1) } }.filter { !$0.contains(":") }
    }

    private func brokenLinks(of file: String) throws -> [String] {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().path
        return try relativeLinks(try text(file)).filter { link in
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let target = parts[0].isEmpty ? file : "\(folder)/\(parts[0])"
            guard FileManager.default.fileExists(atPath: target) else { return true }
            return try parts.count == 2 && !fragments(try text(target)).contains(parts[1])
        }
    }

    @Test func everyRelativeLinkLeadsToAFileAndAHeading() throws {
        let pages = try pages()
        #expect(pages.count > 70)
        for page in pages {
            let broken = try brokenLinks(of: page)
            #expect(broken.isEmpty, "\(page): \(broken)")
            let text = try text(page)
            #expect(!text.contains("<doc:"), "\(page) has a link that only DocC understands")
        }
    }

    /// The control of the test above.
    @Test func findsLinksToMissingFilesAndHeadings() throws {
        let directory = try TemporaryDirectory()
        try directory.write("# A `b`, and c's d\n\n```sh\n# code\n```\n", to: "B.md")
        let good = "[b](B.md) [b](B.md#a-b-and-cs-d) [a](#a) [c](https://c.test/#c) `[d](D.md)`"
        try directory.write("# A\n\n\(good)\n[e](E.md) [b](B.md#b) [b](B.md#code) ![a](#c)\n", to: "A.md")
        #expect(try brokenLinks(of: directory("A.md")) == ["E.md", "B.md#b", "B.md#code", "#c"])
    }

    @Test func indexHasEveryPageByItsTitle() throws {
        let folder = Self.project + "/Sources/SyncDaemon/Documentation.docc/"
        let index = try text(folder + "SyncDaemon.md")
        for page in try pages() where page.hasPrefix(folder) && page != folder + "SyncDaemon.md" {
            let title = try #require(try text(page).firstMatch(of: /# (.+)/)?.output.1)
            #expect(index.contains("- [\(title)](\(page.dropFirst(folder.count)))"), "\(page): \(title)")
        }
    }
}
