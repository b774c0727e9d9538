import Backends
import ControlAPI
import Foundation
import Outbox

/// The sentence that a person reads first, and what needs a person: pure, from the figures alone.
struct StatusSummary {
    private(set) var backends: [BackendReport]
    let spool: SpoolReport
    /// Where what is dropped goes; nil for the only backend.
    var spoolBackend: String?
    /// Entries of backends that no profile describes any more, by the backend's name.
    var withoutProfile: [String: Int] = [:]
    /// Whether anything more can be written.
    var room = Room.enough
    /// Why the configuration that was changed is not in force; nil where it is.
    var rejectedConfiguration: String?
    /// What became of stores that were damaged, while their remains lie there.
    var damages: [SalvageReport] = []
    var moment: Moment

    /// The same, told without anybody's e-mail address.
    var withoutNames: StatusSummary {
        var summary = self
        for backend in summary.backends.indices {
            for other in summary.backends[backend].otherAccounts.indices {
                summary.backends[backend].otherAccounts[other].email = "another account"
            }
        }
        return summary
    }

    var sentence: String {
        var sentences = damages.map(\.sentence) + [situation]
        if case .overLimit = room { sentences.append("The outbox is full and takes nothing more in until some of it has gone up.") }
        if rejectedConfiguration != nil { sentences.append("The changed configuration has mistakes and is not in force.") }
        return sentences.joined(separator: " ")
    }

    private var situation: String {
        let dead = total(\.queue.dead) + total(\.queue.held)
        let waiting = total(\.queue.waiting)
        let others = backends.flatMap(\.otherAccounts)
        let othersWaiting = others.map(\.waiting).reduce(0, +)
        let mine = max(0, waiting - othersWaiting) + (needsSignIn ? 0 : spool.waiting)
        if let (name, count) = withoutProfile.min(by: { $0.key < $1.key }) {
            return "\(Self.captures(count)) cannot go up: there is no profile for their backend \(name) any more."
        }
        if room == .diskFull {
            let safe =
                waiting == 0
                ? ""
                : " \(Self.captures(waiting)) \(waiting == 1 ? "is" : "are") safe here, and \(waiting == 1 ? "goes" : "go") up once there is room."
            return "The disk is full: nothing more can be taken in or sent.\(safe)"
        }
        if dead > 0 {
            let blocked = total(\.queue.blocked)
            let place =
                blocked == 0
                ? "besides"
                : blocked == waiting ? "behind \(dead == 1 ? "it" : "them")" : "besides, \(blocked) of them behind what needs you"
            let rest = waiting > 0 ? " \(Self.captures(waiting)) \(waiting == 1 ? "waits" : "wait") \(place)." : ""
            return "\(Self.captures(dead)) could not be delivered and \(dead == 1 ? "needs" : "need") you.\(rest)"
        }
        if let sentence = paused(mine: mine) { return sentence }
        if needsSignIn, waiting + spool.waiting > 0 {
            return
                "\(Self.captures(waiting + spool.waiting)) \(waiting + spool.waiting == 1 ? "is" : "are") safe here and cannot go up until somebody signs in."
        }
        if mine > 0 {
            guard let cooling = backends.first(where: { $0.gate == "cooling" && $0.queue.waiting > 0 }) else {
                return "\(Self.captures(mine)) \(mine == 1 ? "is" : "are") on the way up."
            }
            return
                "\(Self.captures(mine)) \(mine == 1 ? "is" : "are") safe here and \(mine == 1 ? "waits" : "wait") for the network: \(cooling.gateReason ?? cooling.name)"
        }
        if let other = others.first {
            return
                "\(Self.captures(othersWaiting)) \(othersWaiting == 1 ? "waits" : "wait") for \(other.email) to sign in again; everything else has gone up."
        }
        if spool.stuck > 0 {
            return
                "\(spool.stuck == 1 ? "1 file" : "\(spool.stuck) files") in the drop folder cannot be taken and \(spool.stuck == 1 ? "needs" : "need") you; everything else has gone up."
        }
        let delivered = total(\.queue.delivered)
        if delivered > 0 { return "Everything has gone up: \(Self.captures(delivered)) delivered, nothing is waiting.\(pausedToo)" }
        return needsSignIn
            ? "Nobody is signed in, and nothing is waiting.\(pausedToo)" : "Ready: nothing has been captured yet.\(pausedToo)"
    }

    /// Where captures wait because sending is paused; nil where none do.
    private func paused(mine: Int) -> String? {
        let stopped = backends.filter { $0.pause != nil && $0.queue.pending > 0 }
        guard let first = stopped.first, let pause = first.pause else { return nil }
        let count = stopped.map(\.queue.waiting).reduce(0, +)
        let place = backends.count == 1 ? "" : " to \(first.name)"
        let also =
            needsSignIn
            ? " Nobody is signed in." : mine > count ? " \(mine - count) more \(mine - count == 1 ? "is" : "are") on the way." : ""
        let clause = PauseText(pause: pause, moment: moment).clause
        return "\(Self.captures(count)) \(count == 1 ? "is" : "are") safe here; sending\(place) is paused \(clause).\(also)"
    }

    /// What to add where nothing waits because of it.
    private var pausedToo: String {
        guard let backend = backends.first(where: { $0.pause != nil }), let pause = backend.pause else { return "" }
        return " Sending\(backends.count == 1 ? "" : " to \(backend.name)") is paused \(PauseText(pause: pause, moment: moment).clause)."
    }

    /// Gravest first.
    var attention: [Attention] {
        damages.map(Attention.init(damage:)) + shortage
            + withoutProfile.sorted { $0.key < $1.key }.map { name, count in
                Attention(
                    code: "no-profile",
                    text: "\(Self.captures(count)) for \(name) cannot go up, because no profile of that name is configured.",
                    next: "Put \(name).yaml back into the folder with the profiles and restart the daemon.")
            } + backends.flatMap(attention(for:)) + files + (rejectedConfiguration.map { [Attention(rejectedConfiguration: $0)] } ?? [])
    }

    private var shortage: [Attention] {
        switch room {
        case .enough: []
        case .diskFull:
            [
                Attention(
                    code: "disk-full",
                    text:
                        "The disk is full: nothing more can be taken in, and nothing is sent, since what becomes of it could not be written.",
                    next: "Make room on the disk; the rest follows by itself.")
            ]
        case .overLimit(let limit):
            [
                Attention(
                    code: "outbox-full", text: "The outbox has reached its limit of \(limit >> 20) MiB: nothing more is taken in.",
                    next: "Let what waits go up, which makes room; or raise outbox.max_bytes in the configuration and restart the daemon.")
            ]
        }
    }

    private func attention(for backend: BackendReport) -> [Attention] {
        var items: [Attention] = []
        let dropped = spoolBackend == nil || spoolBackend == backend.name ? spool.waiting : 0
        let login = backends.count > 1 ? "homing login --backend \(backend.name)" : "homing login"
        let queue = backend.queue
        if queue.dead > 0 {
            items.append(
                Attention(
                    code: "dead",
                    text:
                        "\(backend.name) refused \(Self.captures(queue.dead)), or failed at \(queue.dead == 1 ? "it" : "them") too often. \(queue.dead == 1 ? "It is" : "They are") kept.",
                    next: "See them with ‘homing list --state dead’, ask ‘homing why ID’, then ‘homing retry ID’ or ‘homing discard ID’."))
        }
        if queue.held > 0 {
            items.append(
                Attention(
                    code: "held",
                    text: "\(Self.captures(queue.held)) \(queue.held == 1 ? "is" : "are") held at \(backend.name) until a person decides.",
                    next: "See them with ‘homing list --state held’ and ask ‘homing why ID’."))
        }
        if let former = backend.formerAddress {
            let count = backend.otherAccounts.filter { !SessionKeeper.namesItsServer($0.account) }.map(\.waiting).reduce(0, +)
            items.append(
                Attention(
                    code: "other-address",
                    text:
                        "\(Self.captures(count)) \(count == 1 ? "was" : "were") taken for \(former), and \(backend.name) is \(backend.baseURL) now.",
                    next:
                        "Put the old address back into \(backend.name).yaml; or, if it is the same service, add ‘formerly: [\(former)]’ there. Then reload the daemon: ‘systemctl reload homingd’, or SIGHUP."
                ))
        }
        let mine = queue.waiting - backend.otherAccounts.map(\.waiting).reduce(0, +)
        if backend.session.state == "signInRequired" {
            items.append(
                Attention(
                    code: "sign-in-required",
                    text:
                        "The session of \(backend.session.email ?? "the account") at \(backend.name) has ended\(mine > 0 ? ", and \(Self.captures(mine)) \(mine == 1 ? "waits" : "wait")" : "").",
                    next: "Sign in again with ‘\(login)’."))
        } else if backend.session.state == "signedOut", queue.waiting + dropped > 0 {
            items.append(
                Attention(
                    code: "sign-in-required",
                    text:
                        "Nobody is signed in at \(backend.name), and \(Self.captures(queue.waiting + dropped)) \(queue.waiting + dropped == 1 ? "waits" : "wait").",
                    next: "Sign in with ‘\(login)’."))
        }
        if let pause = backend.pause, isForgotten(pause, of: backend) {
            items.append(
                Attention(
                    code: "paused", text: "Sending to \(backend.name): \(PauseText(pause: pause, moment: moment).sentence)",
                    next: "Send again with ‘homing resume’, or say for how long with ‘homing pause --for’."))
        }
        for other in backend.otherAccounts where backend.session.state == "signedIn" {
            items.append(
                Attention(
                    code: "other-account",
                    text:
                        "\(Self.captures(other.waiting)) of \(other.email) \(other.waiting == 1 ? "waits" : "wait") at \(backend.name) for that person.",
                    next: "\(other.email) has to sign in; nobody else’s sign-in sends \(other.waiting == 1 ? "it" : "them")."))
        }
        return items.map { item in
            var item = item
            item.backend = backend.name
            return item
        }
    }

    /// A pause without an end may have been forgotten after a day; one that has an end, where captures have waited for a week.
    private func isForgotten(_ pause: PauseReport, of backend: BackendReport) -> Bool {
        let age = moment.now.timeIntervalSince(pause.since)
        return pause.until == nil ? age >= 86_400 : age >= 7 * 86_400 && backend.queue.waiting > 0
    }

    private var files: [Attention] {
        var items: [Attention] = []
        if spool.stuck > 0, let file = spool.stuckExample {
            items.append(
                Attention(
                    code: "stuck-files",
                    text:
                        "\(spool.stuck == 1 ? "1 file in the drop folder cannot" : "\(spool.stuck) files in the drop folder cannot") be taken\(spool.stuck == 1 ? "" : ", among them"): \(file.path): \(file.reason).",
                    next: file.next))
        }
        if spool.refused > 0 {
            items.append(
                Attention(
                    code: "refused-files",
                    text:
                        "\(spool.refused == 1 ? "1 file was" : "\(spool.refused) files were") put aside because \(spool.refused == 1 ? "it was" : "they were") not understood.",
                    next:
                        "Read the .reason beside each in \(spool.directory)/refused, mend the file, and drop it into \(spool.directory)/new again."
                ))
        }
        return items
    }

    private var needsSignIn: Bool { !backends.contains { $0.session.state == "signedIn" } }

    private func total(_ count: KeyPath<BackendReport, Int>) -> Int { backends.map { $0[keyPath: count] }.reduce(0, +) }

    static func captures(_ count: Int) -> String { count == 1 ? "1 capture" : "\(count) captures" }
}
