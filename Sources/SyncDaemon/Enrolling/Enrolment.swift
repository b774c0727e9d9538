import Backends
import ControlAPI
import Files
import Foundation
import Glibc
import SyncModel

/// The file of `homingd enroll`: what one station shall have.
struct Enrolment: Sendable {
    let file: String
    var targets: [Target] = []
    var members: [Member] = []
    /// Keys of `homing.yaml`, with their places in `file`; nil for none.
    var settings: YAMLNode?
    var signInTime = SignInTime.now

    enum SignInTime: String, Sendable, CaseIterable {
        case now
        /// A server that cannot be reached is no error.
        case later
    }

    /// A backend to enable.
    struct Target: Sendable {
        let name: String
        let line: Int?
        /// Nil to keep that of the profile.
        let baseURL: String?
        /// Nil for no sign-in.
        let account: Account?
    }

    struct Account: Sendable {
        let email: String
        let password: Password
        let isRemembered: Bool
    }

    enum Password: Sendable {
        case text(Secret)
        case file(String)
    }

    struct Member: Sendable {
        let role: Access
        let user: String
        let line: Int?
    }

    /// The files to delete once everyone is signed in: this one if it has a password, and the password files.
    var secretFiles: [String] {
        let passwords = targets.compactMap { $0.account?.password }
        let others = passwords.compactMap { password -> String? in if case .file(let path) = password { path } else { nil } }
        return others + (others.count < passwords.count ? [file] : [])
    }
}

extension Enrolment {
    /// Reads the file strictly. Throws all mistakes.
    init(reading file: String) throws(Mistakes) {
        let mistakes = MistakeCollector()
        self.init(file: file, mistakes)
        try mistakes.check()
    }

    private init(file: String, _ mistakes: MistakeCollector) {
        self.file = file
        guard let (text, opened) = Self.read(file) else {
            let found = YAMLNode.unreadable("no readable file", at: file)
            let expected = "a regular file of UTF-8 text, at most 1 MiB, without hard links"
            mistakes.add(Mistake(file: file, key: "", found: found, expected: expected))
            return
        }
        guard let node = YAMLNode.parse(text, file: file, mistakes: mistakes), let root = StrictTable(node, mistakes: mistakes) else {
            return
        }
        for declared in root.map("backends") {
            guard let table = StrictTable(declared.value, path: declared.path, mistakes: mistakes) else { continue }
            targets.append(Target(declared.name, table))
        }
        if let groups = root.table("groups") {
            members += Self.members("observe", .observe, in: groups)
            members += Self.members("operate", .operate, in: groups)
            members += Self.members("administer", .administer, in: groups)
            groups.close()
        }
        settings = root.table("settings")?.node
        signInTime = root.choice("sign_in") ?? signInTime
        root.close()
        checkTrust(opened, mistakes)
    }

    /// With the facts of the file that was read: another user may put another one in its place.
    private static func read(_ file: String) -> (text: String, file: OpenFile)? {
        let place = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        // `try?`, twice: the message only says that the file is unreadable.
        guard let opened = try? DurableFile(path: place).opened(), let content = try? opened.content(atMost: 1 << 20),
            let text = String(validating: content.withoutByteOrderMark, as: UTF8.self)
        else { return nil }
        return (text, opened)
    }

    private func checkTrust(_ opened: OpenFile, _ mistakes: MistakeCollector) {
        if !opened.isOwned {
            let expected = "a file that belongs to root, because root does what it says; run: chown root \(file)"
            mistakes.add(Mistake(file: file, key: "", found: "a file of the user with the number \(opened.owner)", expected: expected))
        }
        let (mode, hasPassword) = (opened.mode, secretFiles.contains(file))
        if mode & (hasPassword ? 0o077 : 0o022) != 0 {
            let verb = hasPassword ? "read, because it has a password" : "change"
            let expected = "a file that only its owner can \(verb); run: chmod 600 \(file)"
            mistakes.add(Mistake(file: file, key: "", found: "mode \(String(mode, radix: 8))", expected: expected))
        }
        for path in secretFiles where DurableFile(path: path).isLink {
            let expected = "the file itself, because it is deleted after the sign-in"
            mistakes.add(Mistake(file: path, key: "", found: "a symbolic link", expected: expected))
        }
    }

    private static func members(_ key: String, _ role: Access, in groups: StrictTable) -> [Member] {
        groups.list(key, expected: "the name of a user, such as ann, or a list of names") { node in
            node.text.flatMap { name in
                name.wholeMatch(of: /[A-Za-z_][A-Za-z0-9_.-]{0,31}/) == nil ? nil : Member(role: role, user: name, line: node.line)
            }
        } ?? []
    }
}

extension Enrolment.Target {
    fileprivate init(_ name: String, _ table: StrictTable) {
        self.name = name
        line = table.node.line
        if name.wholeMatch(of: /[a-z0-9_][a-z0-9_-]{0,63}/) == nil {
            table.reject(nil, expected: "a name of lowercase letters, digits, - and _", found: "\"\(name)\"")
        }
        // It becomes a line of the profile, so nothing that has a meaning in YAML.
        baseURL = table.read("base_url", expected: "https://host/path, or http:// to a loopback address") { node in
            node.text.flatMap { url -> String? in
                let isPlain = url.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"?#{}\\'\"".utf8.contains($0) }
                return isPlain && Origin(url)?.isPrivate == true ? url : nil
            }
        }
        account = Enrolment.Account(table)
        table.close()
    }
}

extension Enrolment.Account {
    /// Nil without an account, and, with a mistake, for an incomplete one.
    fileprivate init?(_ table: StrictTable) {
        let email = table.read("email", expected: "the email address of the account") { $0.text.flatMap { $0.isEmpty ? nil : $0 } }
        let text = table.read("password", isSecret: true, expected: "text that is not empty, in quotes") { node in
            node.text.flatMap { $0.isEmpty ? nil : Secret($0) }
        }
        let path = table.read("password_file", expected: "the path of a file, beginning with /") { node in
            node.text.flatMap { $0.hasPrefix("/") ? $0 : nil }
        }
        let isRemembered = table.bool("remember") ?? false
        let given = ["email", "password", "password_file"].filter { table.keys.contains($0) }
        if !given.isEmpty, given.count != 2 || given.first != "email" {
            table.reject(nil, expected: "an email, and either password or password_file", found: given.inWords)
        }
        guard let email, let password = text.map(Enrolment.Password.text) ?? path.map(Enrolment.Password.file) else { return nil }
        self.init(email: email, password: password, isRemembered: isRemembered)
    }
}
