import ArgumentParser
import Sandbox

struct FaultsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "faults", abstract: "List the faults that can be set.",
        discussion: """
            Faults of single requests also take path=text, method=name, user=id and count=n (the next n requests that match), for example \
            --fault commit-then-cut:path=facial_measurements_from_arkit,count=1.
            """)

    func run() {
        for name in FaultName.allCases {
            StandardOutput.line(name.rawValue.padding(toLength: 28) + name.summary)
        }
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String { self + String(repeating: " ", count: max(1, length - count)) }
}
