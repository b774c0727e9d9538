/// Changes the keys of a busy station, interrupts that at each step, and searches its files for anything that an old key opens.
struct RotationCampaign: LifeCampaign {
    typealias Life = RotationStation

    static let name = "rotation"
    static var kinds: Int { RotationFault.allCases.count }
}

extension RotationStation: StationLife {
    func life(from first: Int) async throws -> LifeFinding {
        try await begin()
        let faults = RotationFault.allCases
        for number in 0..<(flaw == nil ? 4 : 1) {
            try await day(flaw == nil ? faults[(first + number) % faults.count] : .none)
            try await look()
        }
        try await changeForGood()
        try await judge()
        return finding
    }
}
