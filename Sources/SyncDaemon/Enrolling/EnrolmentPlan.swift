import Backends
import ControlServer
import Files
import Foundation
import Glibc

/// The files that an enrolment writes. They are checked, together with the present configuration, before any is in place.
struct EnrolmentPlan {
    /// In the order in which they are written.
    private(set) var files: [(path: String, content: String)] = []
    /// Users and groups that exist.
    private(set) var members: [(user: String, group: AccessGroups.Group)] = []
    /// By backend, as the daemon reports them once it has read the files.
    private(set) var addresses: [String: String] = [:]
    let configuration: Configuration

    private let enrolment: Enrolment
    private let system: EnrolmentSystem
    private let mistakes = MistakeCollector()

    static let settingsName = "50-enrolled.yaml"

    /// Throws all mistakes of the enrolment and of the configuration that it would make.
    init(_ enrolment: Enrolment, configuration file: String?, environment: [String: String], system: EnrolmentSystem) throws {
        (self.enrolment, self.system) = (enrolment, system)
        let main = file ?? Places(environment: environment).configurationFile
        let place = "\(DropIns(of: main).folder)/\(Self.settingsName)"
        let planned = enrolment.settings.map { [place: $0] } ?? [:]
        // The check below reports the mistakes.
        let read = Configuration.read(file: file, environment: environment, mistakes: MistakeCollector(), planned: planned)
        configuration = read ?? Configuration(places: Places(environment: environment))
        for member in enrolment.members { plan(member) }
        for target in enrolment.targets { plan(target) }
        let profiles = files
        if let settings = enrolment.settings { plan(settings, at: place) }
        try check(file, environment, planned, profiles)
        checkTrust()
        try mistakes.check()
    }

    private mutating func plan(_ member: Enrolment.Member) {
        func reject(_ expected: String, found: String) {
            let key = "groups.\(member.role)"
            mistakes.add(Mistake(file: enrolment.file, line: member.line, key: key, found: found, expected: expected))
        }
        guard system.isUser(member.user) else {
            return reject("a user of this system; to make one, run: adduser \(member.user)", found: member.user)
        }
        guard let group = configuration.access[member.role] else {
            return reject("a group for this role; to make the usual ones, run: systemd-sysusers homing.conf", found: "no group")
        }
        members.append((member.user, group))
    }

    private mutating func plan(_ target: Enrolment.Target) {
        let (path, origin) = ("\(configuration.backends)/\(target.name).yaml", "\(system.profiles)/\(target.name).yaml")
        let original = YAMLNode.text(of: origin)
        let content = original.map { text in target.baseURL.map { EnrolledProfile.text(text, at: $0) } ?? text }
        if DurableFile(path: path).exists {
            let present = YAMLNode.text(of: path)
            let address = present.flatMap { Self.value(of: "base_url", in: $0) }
            let wanted = target.baseURL ?? address
            if wanted == address {
                guard Self.isHidden(path) else { return }
                guard present != nil, present == content else { return reject(modeOf: path) }
            } else if let wanted, present.map({ $0 == original || EnrolledProfile.isUnedited($0) }) != true {
                let expected = "\(wanted), or the profile as it was installed; to keep the edited profile, change base_url in \(path)"
                return mistakes.add(Mistake(file: path, key: "base_url", found: address ?? "nothing", expected: expected))
            }
        }
        guard let original, let content else {
            let key = "backends.\(target.name)"
            let expected = "a backend whose profile is \(path) or \(origin)"
            return mistakes.add(Mistake(file: enrolment.file, line: target.line, key: key, found: "neither file", expected: expected))
        }
        let preset = Self.value(of: "extends", in: original) ?? target.name
        let presetPath = "\(configuration.backends)/\(preset).yaml"
        // A preset that cannot be read is a mistake of the profile.
        if preset != target.name, !DurableFile(path: presetPath).exists, !files.contains(where: { $0.path == presetPath }),
            let text = YAMLNode.text(of: "\(system.profiles)/\(preset).yaml")
        {
            files.append((presetPath, text))
        }
        files.append((path, content))
    }

    private mutating func plan(_ settings: YAMLNode, at path: String) {
        let content = "# Written by ‘homingd enroll’. Your own settings belong in another file of this folder.\n" + settings.written()
        let isSame = YAMLNode.text(of: path) == content
        if !DurableFile(path: path).exists || isSame && Self.isHidden(path) { files.append((path, content)) }
        guard !isSame, DurableFile(path: path).exists else { return }
        let expected = "the settings of \(enrolment.file), or no such file; move it away, and run the command again"
        mistakes.add(Mistake(file: path, key: "", found: "other settings", expected: expected))
    }

    /// Checks the profiles in a folder of links to the present ones, and with the planned ones.
    private mutating func check(
        _ file: String?, _ environment: [String: String], _ planned: [String: YAMLNode],
        _ profiles: [(path: String, content: String)]
    ) throws {
        let (stage, folder) = (FileManager.default.temporaryDirectory.path + "/homing-\(UUID().uuidString)", configuration.backends)
        try FileManager.default.createDirectory(
            atPath: stage, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // `try?`: the system removes what stays in its temporary folder.
        defer { try? FileManager.default.removeItem(atPath: stage) }
        for profile in profiles {
            let name = URL(fileURLWithPath: profile.path).lastPathComponent
            try Data(profile.content.utf8).write(to: URL(fileURLWithPath: "\(stage)/\(name)"))
        }
        // `try?`: without the folder, there are only planned profiles.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasSuffix(".yaml") && !profiles.contains(where: { $0.path == "\(folder)/\(name)" }) {
            try FileManager.default.createSymbolicLink(atPath: "\(stage)/\(name)", withDestinationPath: "\(folder)/\(name)")
        }
        let preview = ConfigurationCheck.preview(file: file, environment: environment, planned: planned, profiles: stage)
        addresses = Dictionary(preview.backends.map { ($0.name, $0.baseURL) }) { first, _ in first }
        for mistake in preview.mistakes {
            mistakes.add(
                Mistake(
                    file: mistake.file.replacing(stage, with: folder), line: mistake.line, key: mistake.key,
                    found: mistake.found?.replacing(stage, with: folder), expected: mistake.expected.replacing(stage, with: folder)))
        }
    }

    /// For root, refuses configuration files that another user owns: they say where the daemon sends passwords and captures.
    private func checkTrust() {
        guard geteuid() == 0 else { return }
        // `try?`: without the folder, there are only planned profiles.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: configuration.backends)) ?? []
        let profiles = names.filter { $0.hasSuffix(".yaml") }.sorted().map { "\(configuration.backends)/\($0)" }
        for path in configuration.files + profiles {
            let file = DurableFile(path: path)
            guard let owner = file.owner, !file.isOwned() else { continue }
            let expected = "a file that belongs to root, because the daemon does what it says; run: chown root \(path)"
            mistakes.add(Mistake(file: path, key: "", found: "a file of the user with the number \(owner)", expected: expected))
        }
    }

    /// True for a file that the daemon, which is another user, cannot read. A group or an ACL may let it read others.
    private static func isHidden(_ path: String) -> Bool {
        let file = DurableFile(path: path)
        return file.isOwned() && file.mode.map { $0 & 0o044 == 0 } == true
    }

    private func reject(modeOf path: String) {
        let found = DurableFile(path: path).mode.map { "mode \(String($0, radix: 8))" }
        mistakes.add(Mistake(file: path, key: "", found: found, expected: "a file that the service can read; run: chmod 644 \(path)"))
    }

    /// The value of a top-level key, if it is text.
    private static func value(of key: String, in text: String) -> String? {
        YAMLNode.parse(text, file: "", mistakes: MistakeCollector())?.member(key)?.text
    }
}
