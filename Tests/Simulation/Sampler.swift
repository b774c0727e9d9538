import Delivery
import Foundation
import SyncModel

/// Chooses steps from the plan, the weather and the operations under way.
struct Sampler {
    private let plan: Plan
    private var generator: SplitMix64
    private var weather: [Weather]
    private let happenings: [Happening]
    private let kinds: [Weather]

    /// For a while, most fates at a backend are of one kind.
    private enum Weather { case calm, mixed, offline, storm, portal, throttling, denying, broken }

    private enum Happening {
        case submit, signIn, sessionEnds, accountChanges, hurry, sync, networkChanged, pause, resume, signOut, cut, stop, crash,
            lateSettlement
        case clock, disk, lateArrival, prune, retry, discard, resolve, discardLater, restore, discardDue, fix, repeatFix, staleWake
    }

    init(_ plan: Plan) {
        self.plan = plan
        generator = SplitMix64(seed: plan.seed ^ 0x5eed)
        weather = plan.backends.map { _ in .calm }
        happenings = Self.happenings(of: plan)
        kinds = [.calm, .calm, .mixed] + Self.weathers(of: plan)
    }

    private static func weathers(of plan: Plan) -> [Weather] {
        let needs: [(Plan.Fault, Weather)] = [
            (.offline, .offline), (.serverErrors, .storm), (.portal, .portal), (.throttling, .throttling), (.stillUnauthorized, .denying),
            (.undeclared, .broken),
        ]
        return needs.compactMap { plan.has($0.0) ? $0.1 : nil }
    }

    private static func happenings(of plan: Plan) -> [Happening] {
        let needs: [(Plan.Fault, [Happening])] = [
            (.sessionsEnd, [.sessionEnds, .signIn]), (.accountsChange, [.accountChanges]), (.hurries, [.hurry, .sync]),
            (.networkChanges, [.networkChanged]), (.pauses, [.pause, .pause, .resume]), (.signOuts, [.signOut, .cut, .signIn]),
            (.stops, [.stop]), (.crashes, [.crash, .lateSettlement]), (.clockSteps, [.clock]), (.diskFull, [.disk]),
            (.lostLate, [.lateArrival]), (.pruning, [.prune]), (.persons, [.retry, .retry, .discard, .resolve]),
            (.discardsLater, [.discardLater, .restore, .discardDue]), (.lateTimers, [.staleWake]), (.fixes, [.fix, .fix, .repeatFix]),
        ]
        return Array(repeating: .submit, count: 6) + needs.flatMap { plan.has($0.0) ? $0.1 : [] }
    }

    mutating func next(_ world: World) -> Step {
        for index in weather.indices where chance(1, in: 50) { weather[index] = pick(kinds) }
        if !world.isRunning { return chance(1, in: 3) && plan.has(.clockSteps) ? clock() : .start }
        if world.isDiskFull, chance(1, in: 12) { return .disk(isFull: false) }
        if world.view.isStopping, chance(1, in: 60) { return crash() }
        if !world.underway.isEmpty, !chance(1, in: 6) { return finish(world) }
        if world.timer != nil, !chance(1, in: 3) { return passing(world) }
        return happening(world)
    }

    private mutating func finish(_ world: World) -> Step {
        let count = world.underway.count
        let index = plan.isOrderly ? 0 : Int.random(in: 0..<count, using: &generator)
        switch world.underway[index] {
        case .attempt(let attempt): return .finish(pick: index, fate(at: attempt.backend))
        case .probe(let backend, _): return .finish(pick: index, fate(at: backend))
        default: return .finish(pick: index, .fine)
        }
    }

    private mutating func fate(at backend: String) -> Fate {
        let index = plan.backends.firstIndex { $0.name == backend } ?? 0
        switch weather[index] {
        case .calm: return chance(1, in: 30) ? mixed() : .fine
        case .mixed: return chance(1, in: 3) ? .fine : mixed()
        case .offline: return chance(1, in: 20) ? mixed() : .offline
        case .storm:
            return pick([.errorBefore, .errorBefore, .errorAfter, .gatewayBefore, .gatewayAfter, .timeout, .openBefore, .openAfter])
        case .portal: return pick([.redirect, .pageBefore, .refusalPage, .sessionPage])
        case .throttling: return pick([.throttledBriefly, .throttledBriefly, .throttledLong, .busyBefore, .fine])
        case .broken: return pick([.notFoundJSON, .notFoundJSON, .forbiddenJSON, .refusedJSON, .notFoundPage])
        case .denying: return chance(1, in: 8) ? .fine : .stillUnauthorized
        }
    }

    private mutating func mixed() -> Fate {
        let needs: [(Plan.Fault, [Fate])] = [
            (.offline, [.offline]), (.lostBefore, [.lostBefore]), (.lostAfter, [.lostAfter]), (.lostLate, [.lostLate]),
            (.serverErrors, [.errorBefore, .errorAfter, .gatewayBefore, .gatewayAfter, .openBefore, .openAfter]), (.timeouts, [.timeout]),
            (.throttling, [.throttledBriefly, .throttledLong, .busyBefore, .busyAfter]),
            (.sessionsEnd, [.sessionEnds, .renewalUnavailable, .tooSoon, .resting]),
            (.stillUnauthorized, [.stillUnauthorized]), (.forbidden, [.deniedDeclared]), (.refusals, [.refusedDeclared]),
            (.locks, [.locked, .lockedLong]),
            (.portal, [.redirect, .pageBefore, .pageAfter, .refusalPage, .sessionPage]),
            (.undeclared, [.refusedJSON, .notFoundJSON, .forbiddenJSON, .notFoundPage]),
            (.brokenPromises, [.textAfter, .emptyAfter, .noIDAfter, .falseIDAfter, .cutJSONAfter]),
            (.failingLookUps, [.lostBefore, .errorBefore, .gatewayBefore, .refusedJSON, .notFoundJSON, .redirect]),
        ]
        let fates = needs.flatMap { plan.has($0.0) ? $0.1 : [] }
        return fates.isEmpty ? .fine : pick(fates)
    }

    private mutating func passing(_ world: World) -> Step {
        if chance(1, in: 3) { return .pass(seconds()) }
        guard plan.has(.lateTimers), chance(1, in: 3) else { return .fire(lateBy: 0) }
        // Early by clock drift; late by a busy moment or a night of suspend.
        return .fire(lateBy: pick([-0.05, 0.2, 3, 28_800]))
    }

    /// From 0.1 seconds to a few hours, log-uniform.
    private mutating func seconds() -> Double { pow(10, Double.random(in: -1...4, using: &generator)) }

    private mutating func happening(_ world: World) -> Step {
        let backend = Int.random(in: 0..<plan.backends.count, using: &generator)
        let isFull = world.model.open.count >= 10 * plan.backends.count
        switch pick(happenings) {
        case .submit where isFull: return chance(1, in: 2) ? .discard(pick: number()) : .pass(seconds())
        case .submit where world.model.items.count >= 60 * plan.backends.count: return .prune
        case .submit: return submit(backend)
        case .signIn: return .signIn(backend: backend, account: 0)
        case .accountChanges: return .signIn(backend: backend, account: Int.random(in: 0..<plan.accounts, using: &generator))
        case .sessionEnds: return .sessionEnds(backend: backend)
        case .hurry: return .hurry(backend: chance(1, in: 2) ? backend : nil)
        case .sync: return .sync(backend: chance(1, in: 2) ? backend : nil)
        case .networkChanged: return .networkChanged
        case .pause: return .pause(backend: backend, seconds: chance(1, in: 2) ? seconds() : nil)
        case .resume: return .resume(backend: backend)
        case .signOut: return .signOut(backend: backend, kept: chance(1, in: 2))
        case .cut: return .cut(backend: backend)
        case .stop: return chance(1, in: 8) ? .stop : .pass(seconds())
        case .crash: return chance(1, in: 6) ? crash() : .pass(seconds())
        case .lateSettlement: return .lateSettlement
        case .clock: return clock()
        case .disk: return .disk(isFull: true)
        case .lateArrival: return .lateArrival(pick: number())
        case .prune: return chance(1, in: 4) ? .prune : .pass(seconds())
        case .retry: return .retry(pick: number())
        case .discard: return .discard(pick: number())
        case .resolve: return .resolve(pick: number())
        case .discardLater: return .discardLater(pick: number(), seconds: seconds())
        case .restore: return .restore(pick: number())
        case .discardDue: return .discardDue
        case .fix: return .fix(pick: number(), row: chance(1, in: 2) ? number() : nil, isByID: chance(1, in: 2))
        case .repeatFix: return .repeatFix(pick: number())
        case .staleWake: return .staleWake
        }
    }

    private mutating func submit(_ backend: Int) -> Step {
        let kinds: [RouteKind] = plan.has(.atMostOnce) ? RouteKind.allCases : [.found, .keyed, .blind]
        let curse = plan.has(.curses) && chance(1, in: 10) ? curse() : nil
        let after = plan.has(.dependencies) && chance(1, in: 6) ? Int.random(in: 0..<plan.lanes, using: &generator) : nil
        return .submit(
            backend: backend, account: chance(3, in: 4) ? 0 : Int.random(in: 0..<plan.accounts, using: &generator),
            lane: Int.random(in: 0..<plan.lanes, using: &generator), pick(kinds), halts: chance(1, in: 3), curse, after: after,
            link: plan.has(.references) ? link() : nil, count: Int.random(in: 1...6, using: &generator))
    }

    private mutating func link() -> Link? {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: nil
        case 1: Link(creates: true)
        default: Link(creates: chance(1, in: 4), row: number(), isByID: chance(1, in: 2))
        }
    }

    /// A look-up that a server throttles for ever never settles, because throttling never counts (BlameByContrast).
    private mutating func curse() -> Curse {
        let fate = pick(Fate.curses)
        return Curse(fate: fate, isOfLookUps: chance(1, in: 5) && !fate.asksForPause)
    }

    private mutating func crash() -> Step {
        .crash(isFault: chance(1, in: 3), storeLands: chance(1, in: 2), effects: generator.next())
    }

    private mutating func clock() -> Step {
        let hour = 3600.0
        let decade = 10 * 365.25 * 24 * hour
        return .clock(offset: pick([0, 0, hour, -hour, 5 * hour, -5 * hour, decade, -decade, 2, -2]))
    }

    private mutating func number() -> Int { Int.random(in: 0..<1000, using: &generator) }
    private mutating func chance(_ part: Int, in whole: Int) -> Bool { Int.random(in: 0..<whole, using: &generator) < part }
    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }
}
