import ArgumentParser
import ControlAPI

struct DoctorCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check the whole station, and say what to do about each problem.",
        discussion: """
            Checks the daemon, the installation, the configuration, the clock, the network to each backend, the disk, the files, the \
            drop folder, the sessions and the queue. The daemon connects to each backend as for a delivery, with its proxy and its \
            certificates. This may take half a minute. Calls at the same time share one examination. If the daemon does not answer, the checks that do not need it run.

            Checks of the network and of files are for administrators: sudo homing doctor

            Exits with 0 if nothing is wrong, otherwise with 1. With --json, prints an array with check, state (ok, note, warning or \
            problem), finding and remedy. A note names checks that did not run.
            """)

    @OptionGroup var global: GlobalOptions

    func run(_ context: Context) async throws {
        let findings = Doctor(facts: await DoctorFacts.gathered(context), times: context.times).findings
        context.answer(findings, FindingText(style: context.console.style, width: context.console.width).lines(findings))
        if findings.contains(where: { !$0.isOK }) { throw ExitCode.failure }
    }
}
