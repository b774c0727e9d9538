import Testing

/// The negative control of the judge.
@Suite struct PeopleModelTests {
    private static let model: PeopleModel = {
        var model = PeopleModel()
        model.add(PeopleModel.Person(create: 10, measurements: [11, 12], fitTests: [13], profiles: [10]))
        model.add(PeopleModel.Person(create: 20, measurements: [21, 22], fitTests: [23], profiles: [24]))
        model.addForKnownUser(30)
        return model
    }()

    private static func create(_ user: Int) -> Arrival { Arrival(kind: .create, number: nil, user: user) }
    private static func measurement(_ number: Int?, _ user: Int) -> Arrival { Arrival(kind: .measurement, number: number, user: user) }
    private static func fitTest(_ number: Int, _ user: Int) -> Arrival { Arrival(kind: .fitTest, number: number, user: user) }

    @Test func rightArrivalsAreNoProblem() {
        let arrivals = [
            Self.create(51), Self.measurement(21, 51), Self.create(52), Self.measurement(30, 7), Self.measurement(11, 52),
            Self.measurement(12, 52), Arrival(kind: .profile, number: 10, user: 52), Arrival(kind: .profile, number: 10, user: 52),
            Self.fitTest(13, 52), Self.measurement(22, 51), Self.fitTest(23, 51),
        ]
        for count in 0...arrivals.count {
            let judgement = Self.model.judge(Array(arrivals.prefix(count)))
            #expect(judgement.problems.isEmpty, "\(judgement.problems)")
        }
        let whole = Self.model.judge(arrivals)
        #expect(whole.homes == [10: 52, 20: 51] && whole.created == [51, 52])
    }

    @Test(
        arguments: [
            ([create(51), measurement(11, 51), measurement(12, 7)], "entry 12 came before its user 7"),
            ([create(51), create(52), measurement(11, 51), measurement(12, 52)], "entry 12 of the person at user 51 is at user 52"),
            ([create(51), measurement(11, 51), measurement(21, 51)], "user 51 is the person of create 10 and of create 20"),
            ([measurement(11, 51), create(51)], "entry 11 came before its user 51"),
            ([create(51), measurement(11, 51), measurement(11, 51)], "entry 11 arrived twice"),
            ([create(51), measurement(12, 51), measurement(11, 51)], "the measurements of create 10 arrived in another order"),
            ([create(51), measurement(12, 51)], "the measurements of create 10 arrived in another order"),
            ([create(51), measurement(11, 51), fitTest(13, 51)], "fit test 13 arrived before an earlier measurement"),
            ([create(51), measurement(30, 51)], "entry 30 for user 7 is at user 51"),
            ([create(51), measurement(99, 51)], "entry 99 at user 51 was never submitted"),
            ([create(51), measurement(nil, 51)], "user 51 has a measurement of no entry"),
            ([create(51), create(52), create(53)], "3 people were created for 2 entries"),
        ] as [([Arrival], String)])
    func eachMistakeIsFound(arrivals: [Arrival], problem: String) {
        #expect(Self.model.judge(arrivals).problems.contains(problem), "\(Self.model.judge(arrivals).problems)")
    }

    @Test func aDelayedMeasurementMayBePassed() {
        var model = Self.model
        model.noteDelay(of: 11)
        #expect(model.judge([Self.create(51), Self.measurement(12, 51), Self.fitTest(13, 51)]).problems.isEmpty)
    }

    @Test func fitTestsAreDoubledOnlyWithADoubt() {
        let arrivals = [Self.fitTest(13, 51), Self.fitTest(13, 51), Self.fitTest(23, 52)]
        #expect(PeopleModel.unexplainedFitTests(arrivals, doubts: [13: 1]).isEmpty)
        #expect(PeopleModel.unexplainedFitTests(arrivals, doubts: [23: 1]) == ["fit test 13 arrived twice without a doubt"])
    }
}
