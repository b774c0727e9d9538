import ControlAPI
import Testing

@testable import homing

@Suite struct RosterChangeTests {
    private func roster(_ form: [String] = ["first_name", "last_name", "limit"], add: String? = "create_managed_user") -> RosterReport {
        var roster = Sample.roster()
        roster.actions = RosterActions(add: add, change: "profile", form: form)
        roster.references = ["measurement", "profile"].map { FieldReference(route: $0, field: "user_id", type: "integer") }
        return roster
    }

    private func payload(_ fields: [String], _ action: RosterAction = .add, _ roster: RosterReport? = nil) throws -> String? {
        let payload = try RosterChange(action, of: roster ?? self.roster()).payload(fields.compactMap(FormField.init(argument:)))
        return payload.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func valuesAreTextUnlessTheyAreGivenAsJSON() throws {
        #expect(try payload(["first_name=Anna \"A\" Ž", "last-name=1980"]) == #"{"first_name":"Anna \"A\" Ž","last_name":"1980"}"#)
        #expect(try payload(["first_name:=[1, null]", "last_name:=\"\""]) == #"{"first_name":[1, null],"last_name":""}"#)
        #expect(try payload(["a=b", "c-d=e"], .edit, roster([])) == #"{"a":"b","c-d":"e"}"#)
    }

    @Test(
        arguments: [
            (
                ["shoe_size=7"], "breathesafe does not take ‘shoe_size’ for people.",
                "Use these options: --first-name, --last-name, --set limit="
            ),
            ([], "Nothing was given for the person.", "Give at least one of: --first-name, --last-name, --set limit="),
            (["first_name"], "--first-name has no value.", #"Give one, such as: --first-name "…""#),
            (
                ["first_name="], "--first-name is empty; expected a text.",
                "Give one, such as: --first-name \"…\"\nTo store an empty text on purpose, write: --set first_name:='\"\"'"
            ),
            (
                ["last-name= "], "--last-name is empty; expected a text.",
                "Give one, such as: --last-name \"…\"\nTo store an empty text on purpose, write: --set last-name:='\"\"'"
            ),
            (["first_name=A", "first-name=B"], "‘first_name’ is given twice.", "Give it once."),
        ] as [([String], String, String)])
    func mistakesNameTheOptions(fields: [String], detail: String, next: String) {
        let problem = #expect(throws: Problem.self) { try payload(fields) }
        #expect(problem?.detail == detail && problem?.next == next && problem?.code == .invalidRequest)
    }

    @Test func valueThatIsNotJSONIsRefused() {
        for value in ["Anna", "{", ""] {
            let problem = #expect(throws: Problem.self) { try payload(["first_name:=\(value)"]) }
            #expect(problem?.detail.hasPrefix("‘first_name:=\(value)’ is not JSON: ") == true)
            #expect(problem?.next == "For text, write: --set first_name=TEXT")
        }
    }

    @Test func onlyANewRowOfAnUnknownFormMayBeEmpty() throws {
        #expect(try payload([], .add, roster([])) == nil)
        let problem = #expect(throws: Problem.self) { try payload([], .edit, roster([])) }
        #expect(problem?.next == "Give at least one of: --set NAME=VALUE")
    }

    @Test(
        arguments: [
            (["first_name=Lea"], ["last_name"]), (["last-name=Lea", "limit=3"], ["first_name"]),
            (["limit=3"], ["first_name", "last_name"]),
            (["first-name=Lea", "last_name=Lab"], []),
        ] as [([String], [String])])
    func partsOfTheNameThatTheServerMayFillInAreKnown(given: [String], missing: [String]) throws {
        let fields = given.compactMap(FormField.init(argument:))
        #expect(try RosterChange(.add, of: roster()).missingNames(fields) == missing)
        #expect(try RosterChange(.edit, of: roster()).missingNames(fields).isEmpty)
        #expect(try RosterChange(.add, of: roster(["title"])).missingNames(fields).isEmpty)
    }

    private var receipt: SubmissionReceipt {
        var receipt = SubmissionReceipt(
            id: Sample.id(9), sequence: 12, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        receipt.subject = SubjectReport(
            resource: "managed_users", field: "user_id", id: "@\(Sample.id(9))", label: "Ben Sample", isNew: true)
        return receipt
    }

    private func deletable() -> RosterReport {
        var list = roster()
        list.actions?.delete = "delete_managed_user"
        return list
    }

    @Test func newPersonWithAKnownNameIsReported() {
        let text = RosterChangeText(roster: deletable())
        let new: SubmissionReceipt = receipt
        let waiting = Sample.entry(9, subject: new.subject)
        let others = [("10", "Ben Sample"), ("5", "Bén Sample")].map { RosterRow(id: $0.0, label: $0.1, values: [:]) }
        #expect(
            text.namesakes(others, of: receipt, waiting) == """
                2 people are already called Ben Sample: Ben Sample (10), Bén Sample (5). To discard the new one while it waits, an \
                administrator runs: homing discard 3f2a91c04b09
                To delete it once it is delivered, run: homing people delete @3f2a91c04b09
                """)
        let one = text.namesakes([others[0]], of: receipt, waiting)
        #expect(one?.hasPrefix("1 person is already called Ben Sample: Ben Sample (10). ") == true)
        #expect(text.namesakes([], of: receipt, waiting) == nil)
    }

    /// A discard would be too late.
    @Test func deliveredPersonWithAKnownNameIsDeleted() {
        let others = [RosterRow(id: "10", label: "Ben Sample", values: [:])]
        let delivered = Sample.entry(9, "delivered", remoteID: "28", subject: Sample.subject("28", "Ben Sample"))
        let text = RosterChangeText(roster: deletable()).namesakes(others, of: receipt, delivered)
        #expect(text?.hasSuffix(" To delete the new one, run: homing people delete 28") == true && text?.contains("discard") == false)
    }

    @Test func listWithoutDeletionsSendsThePersonToTheServer() {
        let others = [RosterRow(id: "10", label: "Ben Sample", values: [:])]
        let text = RosterChangeText(roster: roster())
        let delivered = Sample.entry(9, "delivered", subject: Sample.subject("28", "Ben Sample"))
        #expect(text.namesakes(others, of: receipt, delivered)?.hasSuffix(" Delete the new one at breathesafe itself.") == true)
        let new: SubmissionReceipt = receipt
        let waiting = text.namesakes(others, of: new, Sample.entry(9, subject: new.subject))
        #expect(waiting?.hasSuffix("\nOnce it is delivered, delete it at breathesafe itself.") == true)
    }

    @Test func missingPartOfANameIsReported() {
        let text = RosterChangeText(roster: roster())
        #expect(
            text.missing(["last_name"], of: receipt)
                == "Without --last-name, breathesafe may fill in a name of its own. To give it, run: homing people edit @3f2a91c04b09 --last-name …"
        )
        #expect(text.missing([], of: receipt) == nil)
    }

    @Test func routeAndFieldComeFromTheList() throws {
        let edit = try RosterChange(.edit, of: roster())
        #expect(edit.route == "profile")
        #expect(try edit.field == "user_id")
        let add = try RosterChange(.add, of: roster())
        #expect(add.route == "create_managed_user")
        #expect(try add.field == nil)
    }

    @Test func deletionHasNoPayloadAndIsConfirmedIfTheProfileAsksForIt() throws {
        var list = roster()
        #expect(throws: Problem.self) { try RosterChange(.delete, of: list) }
        list.actions?.delete = "profile"
        let plain = try RosterChange(.delete, of: list)
        #expect(try plain.route == "profile" && plain.field == "user_id" && plain.payload([]) == nil && !plain.needsConfirmation)
        list.actions?.confirm = true
        #expect(try RosterChange(.delete, of: list).needsConfirmation && !RosterChange(.edit, of: list).needsConfirmation)
    }

    @Test func listWithoutARouteSaysSo() throws {
        for list in [roster(add: nil), Sample.roster()] {
            let problem = #expect(throws: Problem.self) { try RosterChange(.add, of: list) }
            #expect(problem?.detail == "Homing cannot add people at breathesafe: its profile does not say how.")
            #expect(problem?.next == "Do it at breathesafe itself, then run: homing people --refresh" && problem?.code == .unsupported)
        }
        var unreferenced = self.roster()
        unreferenced.references = nil
        #expect(throws: Problem.self) { try RosterChange(.edit, of: unreferenced).field }
    }

    private func receipt(_ change: (inout SubmissionReceipt) -> Void = { _ in }) -> SubmissionReceipt {
        var receipt = SubmissionReceipt(id: Sample.id(9), sequence: 12, duplicate: false, backend: "breathesafe", account: "5", lane: "l")
        change(&receipt)
        return receipt
    }

    @Test func addedPersonIsNamedWithTheCommandToMeasureThem() {
        let text = RosterChangeText(roster: roster())
        let added = receipt {
            $0.then = Sample.id(10)
            $0.subject = SubjectReport(
                resource: "managed_users", field: "user_id", id: "@\(Sample.id(9))", label: "Anna Example", isNew: true)
        }
        #expect(
            text.accepted(added, .add, row: nil) == """
                The new person Anna Example is stored safely as 3f2a91c04b09 (#12), with the details in 3f2a91c04b0a. Homing sends it to \
                breathesafe automatically.
                To measure them, run: homing submit FILE --user @3f2a91c04b09
                """)
        #expect(
            text.accepted(receipt { $0.duplicate = true }, .add, row: nil).hasPrefix(
                "The new person was already accepted as 3f2a91c04b09 (#12); nothing was added.\nTo measure them, run: "))
    }

    @Test func otherListsNameTheFieldThatTakesTheNewRow() {
        var lists = roster()
        lists.title = RosterTitle(one: "list", many: "lists")
        lists.references = [("rename_list", "id"), ("create_task", "list_id")].map { FieldReference(route: $0, field: $1, type: "text") }
        lists.actions = RosterActions(add: "create_list", change: "rename_list")
        #expect(
            RosterChangeText(roster: lists).accepted(receipt(), .add, row: nil).hasSuffix(
                "\nTo use the new list, run: homing submit FILE --route create_task --item list_id=@3f2a91c04b09"))
        lists.references = nil
        #expect(!RosterChangeText(roster: lists).accepted(receipt(), .add, row: nil).contains("\n"))
    }

    @Test func newRowOfARouteWithoutPayloadIsItsFields() throws {
        var tasks = roster([], add: "create_task")
        tasks.actions?.fields = ["due_at", "list_id", "title"]
        let change = try RosterChange(.add, of: tasks)
        let given = ["list-id=Shopping", "title=Bread"].compactMap(FormField.init(argument:))
        #expect(try change.items(given) == [ItemField(name: "list_id", value: "Shopping"), ItemField(name: "title", value: "Bread")])
        #expect(try change.payload(given) == nil)
        let mistakes: [([String], String)] = [
            ([], "Give at least one of: --due-at, --list-id, --title"), (["note=a"], "Use these options: "),
        ]
        for (fields, words) in mistakes {
            let problem = #expect(throws: Problem.self) { try change.items(fields.compactMap(FormField.init(argument:))) }
            #expect(problem?.next?.hasPrefix(words) == true, "\(String(describing: problem))")
        }
        // A change has a payload all the same.
        #expect(try RosterChange(.edit, of: tasks).items(given).isEmpty && RosterChange(.edit, of: tasks).payload(given) != nil)
    }

    @Test func newListIsFollowedByTheCommandForItsTasks() {
        var lists = roster()
        lists.title = RosterTitle(one: "list", many: "lists")
        lists.references = [FieldReference(route: "create_task", field: "list_id", type: "integer", takesPayload: false)]
        let told = RosterChangeText(roster: lists).accepted(receipt(), .add, row: nil)
        #expect(told.hasSuffix("\nTo use the new list, run: homing submit --no-document --route create_task --item list_id=@3f2a91c04b09"))
        var tasks = roster()
        tasks.title = RosterTitle(one: "task", many: "tasks")
        tasks.actions = RosterActions(add: "create_task", fields: ["list_id", "title"])
        let better = RosterChangeText(roster: lists, all: [lists, tasks]).accepted(receipt(), .add, row: nil)
        #expect(better.hasSuffix("\nTo add a task to it, run: homing tasks add --list-id @3f2a91c04b09"))
        // The subject of a new row may be a row of another list.
        let other = receipt { $0.subject = SubjectReport(resource: "others", field: "f", id: "5", label: "Shopping") }
        #expect(!RosterChangeText(roster: tasks).accepted(other, .add, row: nil).contains("Shopping"))
    }

    @Test func changeNamesThePerson() {
        let text = RosterChangeText(roster: roster())
        #expect(
            text.accepted(receipt { $0.subject = Sample.subject() }, .edit, row: "anna") == """
                The change to Anna Example (28) is stored safely as 3f2a91c04b09 (#12). Homing sends it to breathesafe automatically. \
                Your list shows the change after the delivery.
                """)
        #expect(text.accepted(receipt(), .edit, row: "28").hasPrefix("The change to 28 is stored safely"))
    }

    /// ‘homing fix’ would change another person.
    @Test func warningOfAChangeNamesTheWayOut() {
        let text = RosterChangeText(roster: roster())
        let unlisted = receipt { $0.warning = "999 is not one of your people, as of 3 minutes ago." }
        #expect(
            text.warning(unlisted, .edit) == """
                999 is not one of your people, as of 3 minutes ago.
                If this is wrong, an administrator runs: homing discard 3f2a91c04b09
                """)
        #expect(text.warning(unlisted, .delete) == unlisted.warning)
        #expect(text.warning(receipt(), .edit) == nil)
    }

    @Test func deletionNamesThePersonAndTheWayBack() {
        let text = RosterChangeText(roster: roster())
        #expect(
            text.accepted(receipt { $0.subject = Sample.subject() }, .delete, row: "anna") == """
                The deletion of Anna Example (28) is stored safely as 3f2a91c04b09 (#12). Homing sends it to breathesafe automatically.
                To cancel it before that, an administrator runs: homing discard 3f2a91c04b09
                """)
        let again = text.accepted(receipt { $0.duplicate = true }, .delete, row: "28")
        #expect(again == "The deletion of 28 was already accepted as 3f2a91c04b09 (#12); nothing was added.")
    }
}
