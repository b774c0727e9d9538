extension Resource {
    static let keys: [DeclaredKey] = [
        own, Title.keys(in: "resources.NAME.title", of: "row", Title(one: "person", many: "people")),
        Pages.keys(in: "resources.NAME.pages"),
    ].flatMap(\.self)

    /// The counts of pointers in `label` and `keep`.
    static let labels = 1...4, kept = 0...16

    /// In seconds.
    static let ages = 60...2_592_000.0

    private static let own: [DeclaredKey] = [
        RequestTemplate.request(in: "resources.NAME", "GET /people", "A GET request for the list, with a path of this server."),
        .text(
            "resources.NAME.parent", "lists", "The resource for each row of which this one is read, with `{parent}` in the request."),
        .texts(
            "resources.NAME.gone", "[list_gone]",
            "Codes that mean, as a 404 does, that the row of the parent no longer exists; needs `parent`."),
        .pointer("resources.NAME.list", "/people", "The rows in the response.").required,
        .key("resources.NAME.id", rowPointer, "/id", "The id in a row.").required,
        .key(
            "resources.NAME.label", rowPointers(labels), "[/first_name, /last_name]",
            "The values of a row that people recognize it by, joined by a space."
        ).usually("the value of `id`"),
        .key("resources.NAME.keep", rowPointers(kept), "[/role, /created_at]", "Other values of a row that Homing stores."),
        .key(
            "resources.NAME.created", "one of the pointers in keep", "/created_at",
            "The time when the row was created; after a lost response, Homing shows the rows since then."),
        .table("resources.NAME.title", "{one: person, many: people}", "The words for rows of the list.")
            .usually("the name of the resource"),
        .table(
            "resources.NAME.pages", "{page: page, per_page: per_page, total: /total_count}", "How the server splits the list into pages."
        ).usually("one response with all rows"),
        .seconds("resources.NAME.max_age", in: ages, "3600", "The age at which Homing reads the list again.").usually("`86400`"),
    ]

    private static let rowPointer = "a JSON pointer to a value in a row, such as /name; an empty one would mean the whole row"

    private static func rowPointers(_ count: ClosedRange<Int>) -> String {
        """
        a JSON pointer to a value in a row, such as /name, or a list of \(count.lowerBound) to \(count.upperBound); an empty one would \
        mean the whole row
        """
    }
}

extension Resource.Title {
    /// - Parameter noun: what the words are for.
    static func keys(in table: String, of noun: String, _ example: Resource.Title) -> [DeclaredKey] {
        let type = "1 to 40 characters that do not begin with a capital letter, because the words are used inside sentences"
        return [
            .key("\(table).one", type, example.one, "The words for one \(noun).").required,
            .key("\(table).many", type, example.many, "The words for more than one \(noun).").required,
        ]
    }
}

extension Pages {
    static func keys(in table: String) -> [DeclaredKey] {
        [
            .text("\(table).page", "page", "The query parameter for the number of the page, which begins at 1.").required,
            .text(
                "\(table).per_page", "per_page", "The query parameter for the number of rows in a page: 100, but a server may send fewer."
            ).required,
            .pointer("\(table).total", "/total_count", "The number of rows in all pages.").required,
        ]
    }
}
