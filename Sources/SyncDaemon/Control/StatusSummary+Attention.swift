import Capture
import ControlAPI
import Outbox

extension StatusSummary {
    /// Most serious first.
    var attention: [Attention] {
        damages.map(Attention.init(damage:)) + shortage + missingProfiles + backends.flatMap(notices(about:)) + files
            + (rejectedConfiguration.map { [Attention(rejectedConfiguration: $0)] } ?? [])
    }

    private func notices(about backend: BackendReport) -> [Attention] { BackendNotices(summary: self, backend: backend).all }

    private var missingProfiles: [Attention] {
        withoutProfile.sorted { $0.key < $1.key }.map { name, count in
            Attention(
                .noProfile, text: "\(Self.captures(count)) for \(name) cannot be sent, because no profile of that name is configured.",
                next: "Put \(name).yaml back into the profile folder, then reload: ‘systemctl reload homingd’, or SIGHUP.", backend: name)
        }
    }

    private var shortage: [Attention] {
        switch room {
        case .enough: []
        case .diskFull:
            [
                Attention(
                    .diskFull,
                    text: "The disk is full: Homing accepts no new captures. Waiting entries are still sent, using the reserve.",
                    next: "Make room on the disk. Homing then continues by itself.")
            ]
        case .nothingLeft:
            [
                Attention(
                    .diskFull,
                    text:
                        "The disk is full: Homing accepts no new captures. It also sends nothing, because it could not store the results.",
                    next: "Make room on the disk. Homing then continues by itself.")
            ]
        case .overLimit(let limit):
            [
                Attention(
                    .outboxFull, text: "The outbox has reached its limit of \(limit >> 20) MiB: Homing accepts no new captures.",
                    next: "Wait for deliveries to make room, or raise outbox.max_bytes in the configuration and restart the daemon.")
            ]
        }
    }

    private var files: [Attention] {
        var items: [Attention] = []
        if let text = spoolFailureText {
            items.append(
                Attention(
                    .dropFolderFailing, text: text,
                    next: "Fix the cause. The daemon tries again by itself, at the latest after 30 seconds."))
        }
        if spool.stuck > 0, let file = spool.stuckExample {
            items.append(
                Attention(
                    .stuckFiles,
                    text:
                        "\(spool.stuck == 1 ? "1 file in the drop folder cannot" : "\(spool.stuck) files in the drop folder cannot") be accepted\(spool.stuck == 1 ? "" : ", among them"): \(file.path): \(file.reason).",
                    next: file.next))
        }
        if claimable > 0, let backend = spoolReport { items.append(claim(for: backend)) }
        if spool.refused > 0 {
            items.append(
                Attention(
                    .refusedFiles,
                    text:
                        "\(spool.refused == 1 ? "1 dropped file was" : "\(spool.refused) dropped files were") refused and not sent.",
                    next:
                        "Read the .reason file beside each in \(spool.directory)/refused, fix the file, and drop it into \(spool.directory)/new again."
                ))
        }
        return items
    }

    private func claim(for backend: BackendReport) -> Attention {
        let files = "\(claimable == 1 ? "1 file was" : "\(claimable) files were") dropped while signed out"
        let (account, it) = (backend.session.email ?? backend.session.account ?? "the signed-in account", claimable == 1 ? "it" : "them")
        return unclaimed == .hold
            ? Attention(
                .unclaimedFiles, text: "\(files) and \(claimable == 1 ? "is" : "are") on hold.",
                next: "To send \(it) as \(account), an administrator runs: homing claim", backend: backend.name)
            : Attention(
                .unclaimedFiles, text: "\(files). \(claimable == 1 ? "Is it" : "Are they") yours?",
                next: "To send \(it) as \(account), run: homing claim", backend: backend.name)
    }
}
