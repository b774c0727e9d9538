import JSON

extension Route {
    static let keys: [DeclaredKey] = [sending, bodies, payloads, answers, order, effects, words, tables].flatMap(\.self)

    static let depths = 1...JSONSyntax.mostLevels

    private static let sending: [DeclaredKey] = [
        RequestTemplate.request(
            in: "routes.NAME", "POST /notes",
            "The request that delivers an entry; placeholders such as `{item.user_id}` make fields, which submissions then need.")
    ]

    private static let bodies = RequestTemplate.keys(in: "routes.NAME", [.json, .headers, .timeout], body: #"{note: "{item.payload}"}"#)

    private static let payloads: [DeclaredKey] = [
        .table(
            "routes.NAME.fields", "{user_id: integer}",
            "The type of each field, `integer` or `text`, or a table of its type and reference."
        ).usually("`text` for each field"),
        .pointers("routes.NAME.requires", "[/text]", "Values that the payload must have."),
        .whole(
            "routes.NAME.max_depth", in: depths, "98",
            "The most levels of lists and objects that the server can accept and return; Homing refuses deeper payloads."
        ).counted(in: "levels"),
        .choice(
            "routes.NAME.compress", ContentCoding.self, "gzip",
            "The form in which the server also accepts bodies; Homing compresses bodies from 1 KiB if that makes them smaller."),
    ]

    private static let answers: [DeclaredKey] = [
        .pointers(
            "routes.NAME.remote_id", "/id",
            "The server’s id, without which a success does not count as delivered; the first match counts."),
        .pointers("routes.NAME.promises", "/note", "Values that must all be in a success, or else it does not count as delivered."),
        .table(
            "routes.NAME.repeats", #"{/list_id: "{item.list_id}"}"#,
            "Values that a success must repeat, by pointer; otherwise Homing holds the entry and does not resend it."),
        .flag(
            "routes.NAME.empty", "Whether a success may have no body; excludes `remote_id`, `promises` and `repeats`."),
        .pointer("routes.NAME.echo", "/note", "The payload in a success, which Homing compares with the sent one."),
        .key(
            "routes.NAME.unknown_on", "a status from 400 to 599, or a list of them", "[500, 502]",
            "Statuses that do not say whether the request took effect."),
        .texts(
            "routes.NAME.gone", "[not_found]",
            "Codes of a 404 or 410 to a DELETE that mean that the row is already deleted; they must match exactly."),
        .pointer(
            "routes.NAME.marker", "/client_id",
            "The new member of the body that takes the id of the entry, so that `find` can look the entry up."),
        .table(
            "routes.NAME.find", "{request: GET /notes, list: /notes, match: /client_id, remote_id: /id}",
            "How Homing looks up an entry that may have arrived, before it resends it; needs `marker`."),
        .choice(
            "routes.NAME.delivery", Delivery.self, "at-most-once",
            """
            How Homing treats an entry that may have arrived: it sends it again, after a look-up if there is `find` \
            (`at-least-once`), does not send it again (`at-most-once`), or sends it again because several sends have one effect \
            (`repeatable`).
            """
        ).usually("`at-least-once`"),
    ]

    private static let order: [DeclaredKey] = [
        .key(
            "routes.NAME.lane", "text with {item.…} placeholders", "users/{item.user_id}",
            "The lane, whose entries Homing delivers one after the other."
        ).usually("the name of the route"),
        .key(
            "routes.NAME.after", "the lane of other routes, as text with {item.…} placeholders, or subject", "users/{item.user_id}",
            "The lane whose earlier entries must be delivered first; `subject` means all earlier entries of the same subject."),
        .key(
            "routes.NAME.behind", "the lane of other routes, as text with {item.…} placeholders", "fit_tests/{item.user_id}",
            "The lane whose earlier entries go first while they can be sent; excludes `after`."),
        .choice(
            "routes.NAME.on_dead", OnDead.self, "skip",
            "Whether a failed entry stops its lane, or later entries pass it and one that keeps failing without a final answer."
        ).usually("`halt`"),
    ]

    private static let effects: [DeclaredKey] = [
        .texts("routes.NAME.touches", "people", "The resources that Homing reads again after a delivery."),
        .text(
            "routes.NAME.creates", "people",
            "The resource in which a delivery creates a row, whose id `remote_id` points to; excludes `changes` and `deletes`."),
        .text("routes.NAME.then", "profile", "The route with `changes` that gets the payload of a submission; needs `creates`."),
        .text(
            "routes.NAME.changes", "people",
            "The resource in which a delivery changes the row that the first reference in `fields` names."),
        .key(
            "routes.NAME.form", RowRules.member, "[first_name, year_of_birth]",
            "The only members that the payload may have; needs `changes`."
        ).usually("any members"),
        .table(
            "routes.NAME.values", "{year_of_birth: {from: 1900, to: 2100}}",
            """
            The values of members of `form`: a list of texts, a table of `from` and `to`, or `scalar` for a text, a number, true or false; \
            null is always accepted.
            """
        ).usually("a text for each member"),
        .text(
            "routes.NAME.deletes", "people",
            "The resource in which a delivery deletes the row that the first reference in `fields` names."),
        .flag("routes.NAME.confirm", "Whether a person must confirm the deletion on the command line; needs `deletes`."),
        .table(
            "routes.NAME.row", #"{resource: people, where: {/id: "{item.user_id}"}, fresh: true}"#,
            "The row that Homing reads just before each send, so that `{row./id}` in the request is its id; excludes `find`."),
        .flag(
            "routes.NAME.absent_is_done",
            "Whether an entry counts as delivered if two complete, equal reads in a row contain no such row; needs `row`."),
    ]

    private static let words: [DeclaredKey] = [
        .table(
            "routes.NAME.title", "{one: note, many: notes}",
            "The words for entries of the route, needed if its name is no noun, as in `process_image`."
        ).usually("words for a row that it creates, changes or deletes, or the name of the route"),
        .key(
            "routes.NAME.reasons", "a table of keys, or a list of them", "[{status: 404, words: There is no such person.}]",
            "The meaning of responses, in words for people; the first one that fits counts."),
    ]

    private static let tables: [DeclaredKey] = [
        Resource.Title.keys(in: "routes.NAME.title", of: "entry", Resource.Title(one: "note", many: "notes")), fieldKeys, valueKeys,
        RowRule.keys, RefusalReason.keys, Find.keys, Pages.keys(in: "routes.NAME.find.pages"),
    ].flatMap(\.self)

    private static let fieldKeys: [DeclaredKey] = [
        .choice(
            "routes.NAME.fields.NAME.type", FieldType.self, "integer",
            "An integer is a whole number above 0 without leading zeros; a text is not empty and has no control characters."
        ).usually("`text`"),
        .text(
            "routes.NAME.fields.NAME.reference", "people",
            "The resource whose ids the field takes; the first field with one names the subject, and also takes a creating entry."),
    ]

    private static let valueKeys: [DeclaredKey] = [
        .whole(
            "routes.NAME.values.NAME.from", in: FormValue.limits, "1900", "The smallest whole number that the member takes, also as text."
        ).usually("required"),
        .whole("routes.NAME.values.NAME.to", in: FormValue.limits, "2100", "The largest whole number.").usually("required"),
    ]
}

extension Route.RowRule {
    fileprivate static let keys: [DeclaredKey] = [
        .text("routes.NAME.row.resource", "people", "The resource that Homing reads.").required,
        .table("routes.NAME.row.where", #"{/id: "{item.user_id}"}"#, "Values of the one row that is meant, by pointer.").required,
        .key(
            "routes.NAME.row.fresh", "true: the row is always read just before the send", "true",
            "Says that no row from an earlier read counts; there is no other value."
        ).required,
    ]
}

extension Route.Find {
    fileprivate static let keys: [DeclaredKey] = [
        RequestTemplate.request(in: "routes.NAME.find", "GET /notes", "A GET request for a list that has the entry if it arrived."),
        .pointer("routes.NAME.find.list", "/notes", "The rows in the response.").required,
        .pointer("routes.NAME.find.match", "/client_id", "The entry’s id in a row.").required,
        .pointer("routes.NAME.find.remote_id", "/id", "The server’s id in a row.").required,
        .pointer("routes.NAME.find.echo", "/note", "The payload in a row, which Homing compares with the sent one."),
        .table(
            "routes.NAME.find.pages", "{page: page, per_page: per_page, total: /total_count}", "How the server splits the list into pages."
        ).usually("one response with all rows"),
    ]
}

extension RefusalReason {
    fileprivate static let keys: [DeclaredKey] = [
        .key(
            "routes.NAME.reasons.status", "a status from 200 to 599, or a list of them", "404",
            "The statuses of the responses that are meant; needed without `message`."),
        .texts(
            "routes.NAME.reasons.message", "Not found*",
            "The messages of the responses that are meant, or their beginnings with `*` at the end; needed without `status`."),
        .key(
            "routes.NAME.reasons.words", "a sentence for people, of 1 to 300 characters on one line", "There is no such person.",
            "The meaning of the response; may contain `{account}`, and the fields in the URL or in the lane, to which Homing adds names."
        ).required,
        .key(
            "routes.NAME.reasons.fix", "a field of the route, or payload", "user_id",
            "The value to correct, for the command that Homing shows."),
    ]
}
