/// Which person each entry of a test was meant for, compared with the changes at the server.
///
/// Nothing at the server names the entry that created a person. So a person is known by its entries: all of them must be at one user, whom
/// a create made before, and who is nobody else.
struct PeopleModel {
    struct Person {
        /// The numbers of its entries, each in the order of acceptance.
        let create: Int
        var measurements: [Int] = []
        var fitTests: [Int] = []
        var profiles: [Int] = []
    }

    /// A user who existed before.
    static let knownUser = 7

    private(set) var people: [Person] = []
    /// The person of each entry, by the number of its create.
    private var owners: [Int: Int] = [:]
    private var forKnownUser: Set<Int> = []
    /// Entries that were on hold for a reason of their own, so that later ones may have passed them.
    private var delayed: Set<Int> = []

    mutating func add(_ person: Person) {
        people.append(person)
        for number in person.measurements + person.fitTests + person.profiles { owners[number] = person.create }
    }

    mutating func addForKnownUser(_ number: Int) { forKnownUser.insert(number) }

    mutating func noteDelay(of number: Int) { delayed.insert(number) }

    /// The create that this entry needs.
    func create(of number: Int) -> Int? { owners[number] }

    struct Judgement {
        var problems: [String] = []
        /// The user of each person with an entry at the server.
        var homes: [Int: Int] = [:]
        var created: [Int] = []
    }

    func judge(_ arrivals: [Arrival]) -> Judgement {
        var judgement = Judgement()
        var tenants: [Int: Int] = [:]
        var measured: Set<Int> = []
        for arrival in arrivals {
            guard let user = arrival.user, arrival.kind != .create else {
                judgement.created += [arrival.user].compactMap(\.self)
                continue
            }
            guard let number = arrival.number else {
                judgement.problems.append("user \(user) has a \(arrival.kind) of no entry")
                continue
            }
            if arrival.kind == .measurement, !measured.insert(number).inserted {
                judgement.problems.append("entry \(number) arrived twice")
            }
            if forKnownUser.contains(number) {
                if user != Self.knownUser { judgement.problems.append("entry \(number) for user \(Self.knownUser) is at user \(user)") }
                continue
            }
            guard let person = owners[number] else {
                judgement.problems.append("entry \(number) at user \(user) was never submitted")
                continue
            }
            if !judgement.created.contains(user) { judgement.problems.append("entry \(number) came before its user \(user)") }
            let (home, tenant) = (judgement.homes[person, default: user], tenants[user, default: person])
            if home != user { judgement.problems.append("entry \(number) of the person at user \(home) is at user \(user)") }
            if tenant != person { judgement.problems.append("user \(user) is the person of create \(tenant) and of create \(person)") }
            judgement.homes[person] = home
            tenants[user] = tenant
        }
        if judgement.created.count > people.count {
            judgement.problems.append("\(judgement.created.count) people were created for \(people.count) entries")
        }
        judgement.problems += misorders(arrivals)
        return judgement
    }

    /// The measurements of a person arrive in order, and a fit test after those accepted before it.
    private func misorders(_ arrivals: [Arrival]) -> [String] {
        let numbered = arrivals.enumerated().compactMap { place, arrival in arrival.number.map { ($0, place) } }
        let places = Dictionary(numbered) { first, _ in first }
        return people.flatMap { person in
            let measurements = person.measurements.filter { !delayed.contains($0) }
            let order = measurements.map { places[$0] ?? .max }
            var problems = order == order.sorted() ? [] : ["the measurements of create \(person.create) arrived in another order"]
            for fit in person.fitTests {
                guard let place = places[fit], measurements.contains(where: { $0 < fit && places[$0] ?? .max > place }) else { continue }
                problems.append("fit test \(fit) arrived before an earlier measurement")
            }
            return problems
        }
    }

    /// Fit tests carry no id, so a lost answer may double one. Nothing else may.
    ///
    /// - Parameter doubts: how often a kill interrupted the send of each entry.
    static func unexplainedFitTests(_ arrivals: [Arrival], doubts: [Int: Int]) -> [String] {
        let numbers = arrivals.filter { $0.kind == .fitTest }.compactMap(\.number)
        let times = Dictionary(grouping: numbers) { $0 }.mapValues(\.count)
        return times.filter { $0.value > 1 + doubts[$0.key, default: 0] }.keys.sorted().map {
            "fit test \($0) arrived twice without a doubt"
        }
    }
}
