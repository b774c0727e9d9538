import ArgumentParser
import Foundation

struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "run", abstract: "Run campaigns in turn, and print the results.")

    @Option(help: "The duration of all campaigns in minutes.") var minutes = 1.0
    @Option(name: .customLong("only"), help: "Only this campaign; repeatable.") var names: [String] = []
    @Option(help: "The seed of all random choices. Default: a new one each time.") var seed: UInt64?

    @Option(help: "Write the page of guarantees to this file, and Faults.md beside it.") var report: String?

    /// In order, each with its share of the time. On two cores, ten thousand kills and a million hostile inputs take 45 minutes.
    private static let campaigns: [(campaign: any Campaign, share: Double)] = [
        (SimulationCampaign(), 1.75), (PowerCutCampaign(), 0.75), (KillCampaign(), 13), (ReferenceCampaign(), 1), (SyscallCampaign(), 5),
        (DamageCampaign(), 1.25), (NetworkCampaign(), 2.25), (SecrecyCampaign(), 0.75), (BoundsCampaign(), 0.75), (DoorCampaign(), 13),
        (BackupCampaign(), 2), (RotationCampaign(), 2),
    ]
    static var names: [String] { campaigns.map { type(of: $0.campaign).name } }

    func run() async throws {
        let seed = seed ?? .random(in: .min ... .max)
        let chosen = Self.campaigns.filter { names.isEmpty || names.contains(type(of: $0.campaign).name) }
        let shares = chosen.map(\.share).reduce(0, +)
        guard !chosen.isEmpty else {
            throw ValidationError("--only: expected one of: \(Self.names.joined(separator: ", "))")
        }
        let began = Date()
        var outcomes: [Outcome] = []
        for (campaign, share) in chosen {
            let start = ContinuousClock.now
            tell("\(type(of: campaign).name) …")
            var outcome = try await campaign.run(until: start + .seconds(minutes * 60 * share / shares), seed: seed)
            outcome.minutes = (ContinuousClock.now - start) / .seconds(60)
            outcomes.append(outcome)
            tell("\(outcome)")
        }
        if let report {
            let left = Self.names.filter { name in !outcomes.contains { $0.campaign == name } }
            let pages = Report(outcomes: outcomes, left: left, minutes: minutes, began: began)
            let file = URL(fileURLWithPath: report)
            try pages.markdown.write(to: file, atomically: true, encoding: .utf8)
            let beside = file.deletingLastPathComponent().appending(component: Report.faultsFile)
            try pages.faultsMarkdown.write(to: beside, atomically: true, encoding: .utf8)
        }
        if outcomes.contains(where: { !$0.failures.isEmpty || $0.controls.contains { !$0.failedAsItShould } }) { throw ExitCode.failure }
    }

    /// Flushes, also into a file, since the next campaign may take long or crash.
    private func tell(_ text: String) {
        print(text)
        fflush(nil)
    }
}
