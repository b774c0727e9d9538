/// A promise of the guarantees page, with the campaigns and tests that would fail if it were broken.
struct Promise {
    let number: Int
    let campaigns: [String]
    /// Suites of `make test`, by file name.
    let tests: [String]

    static let all = [
        Promise(
            number: 1,
            campaigns: ["simulation", "power-cut", "kill", "syscalls", "damage", "network", "bounds", "door", "backup", "rotation"],
            tests: ["KillTests", "FailPointTests", "LostLogTests", "OperatorTests", "SpoolStuckTests"]),
        Promise(number: 2, campaigns: ["simulation", "kill", "syscalls", "network"], tests: ["DeliveryContractTests", "KillTests"]),
        Promise(
            number: 3, campaigns: ["simulation", "power-cut", "kill", "syscalls", "damage", "network"],
            tests: ["SimulationTests", "KillTests", "CourierTests"]),
        Promise(
            number: 4, campaigns: ["simulation", "power-cut", "kill", "syscalls", "damage", "network"],
            tests: ["SimulationTests", "OutageTests", "ExhaustionTests"]),
        Promise(number: 5, campaigns: ["simulation", "kill", "network"], tests: ["SimulationTests", "KillTests", "ClaimTests"]),
        Promise(number: 6, campaigns: ["simulation"], tests: ["SimulationTests", "ClaimTests"]),
        Promise(number: 7, campaigns: ["simulation", "network"], tests: ["SimulationTests", "SettlementTests", "OutageTests"]),
        Promise(number: 8, campaigns: ["simulation", "backup"], tests: ["SimulationTests", "CourierTests", "ClaimTests", "SessionTests"]),
        Promise(number: 9, campaigns: ["secrecy"], tests: ["CanaryTests", "EchoTests", "HidingTests", "SettleTests", "HousekeepingTests"]),
        Promise(
            number: 10, campaigns: ["power-cut", "kill", "syscalls", "damage"],
            tests: ["DamageTests", "LostLogTests", "ShapeTests", "VerifyTests", "WriteAheadLogTests", "CrashTests"]),
        Promise(number: 11, campaigns: ["bounds"], tests: ["ExhaustionTests", "ClaimTests"]),
        Promise(number: 12, campaigns: ["simulation", "references"], tests: ["SimulationTests", "ReferenceKillTests"]),
        Promise(number: 13, campaigns: ["backup"], tests: ["BackupCampaignTests", "BackupTests", "StoreRestoreTests", "BackingUpTests"]),
        Promise(
            number: 14, campaigns: ["rotation"],
            tests: ["RotationCampaignTests", "KeyTests", "KeyRotationTests", "RotationTests", "ResealingTests"]),
    ]

    var row: String {
        let tests = tests.map { "`\($0)`" }.joined(separator: ", ")
        return "| \(number) | \(campaigns.joined(separator: ", ")) | \(tests) |"
    }
}
