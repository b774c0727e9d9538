import ControlAPI

extension KeyAdministration {
    /// The key in sentences.
    ///
    /// - Parameter isInFile: false if the file is known to lack the key, which only the running daemon has.
    func text(_ report: KeyReport, isRunning: Bool, isInFile: Bool = true, _ moment: Moment) -> String {
        // The Ansible role reads the fingerprint from the first line (config/ansible/roles/homing/vars).
        var lines = [
            "Master key  \(report.fingerprint), from \(report.path)\(isInFile ? "" : ", which no longer has it")",
            "Data key    made \(moment.text(report.madeAt))",
        ]
        switch report.left {
        case _ where !report.isResealing: lines.append("All data is sealed with this data key.")
        case let left?: lines.append("Homing is sealing the data again: \(Words.count(left, "row", "rows")) left to check.")
        case nil:
            lines.append(
                report.isPending || isRunning
                    ? "Some data may be sealed with an earlier data key." : "Homing seals the data again when the daemon runs.")
        }
        if report.isPending, report.isCredential {
            lines.append("A new master key is ready. Install it as the credential of the service, and restart the service.")
        } else if report.isPending {
            lines.append("The last change of the key was interrupted. To complete it, run: homingd key rotate")
        }
        return lines.joined(separator: "\n")
    }

    /// The result of a change, with the commands that follow.
    func nextSteps(_ report: KeyReport) -> String {
        if report.isPending {
            return """
                The new key opens the data of the station too. To complete the change, install it as the service’s credential, and restart:
                sudo systemd-creds encrypt --name=homing.key NEWKEY /etc/credstore.encrypted/homing.key
                sudo systemctl restart homingd
                If the credential is a plain file, run instead of the first command: sudo install -m 0600 NEWKEY /etc/credstore/homing.key
                Keep the old key until then, and as long as you keep backups that were made with it.
                """
        }
        return """
            The station has a new master key, \(report.fingerprint), in \(report.path).
            Homing seals all data again while the daemon runs. To see the progress, run: homingd key show
            Backups that were made before open only with the old key: keep your copy of that key as long as you keep them.
            To copy the new key to a safe place, run: homingd key export FILE --to RECIPIENT
            """
    }
}
