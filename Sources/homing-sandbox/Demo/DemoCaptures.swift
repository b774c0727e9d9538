import Foundation

struct DemoCaptures {
    /// Plain captures for the drop folder, each with its user.
    let plain: [(file: URL, user: Int)]
    let offline: [URL]
    // One for a person by name, two for a new person, and one for a wrong user.
    let named: URL
    let newcomer: (first: URL, second: URL)
    let misaddressed: URL

    /// A user whom the signed-in manager does not manage.
    static let notManaged = 10

    init(folder: String) throws {
        func files(_ name: String) throws -> [URL] {
            let path = "\(folder)/\(name)"
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {  // `try?`: the error below names the folder
                throw DemoError("The folder \(path) does not exist. Run the demo in the project's folder, or set --data.")
            }
            return names.filter { $0.hasSuffix(".json") }.sorted().map { URL(fileURLWithPath: "\(path)/\($0)") }
        }
        let captures = try files("arkit")
        offline = try files("PendingMeasurements")
        guard captures.count > 3 else { throw DemoError("The folder \(folder)/arkit needs at least four captures.") }
        named = captures[0]
        newcomer = (captures[1], captures[2])
        misaddressed = captures[captures.count - 1]
        plain = captures.enumerated().dropFirst(3).dropLast().map { index, file in (file, 5 + index % 4) }
    }

    var dropped: Int { plain.count + offline.count }
    var count: Int { dropped + 4 }

    /// Writes each file under a hidden name first, as capture programs should.
    func drop(into spool: String) throws {
        for file in offline { try drop(file, into: "\(spool)/new") }
        for (file, user) in plain { try drop(file, into: "\(spool)/new/users/\(user)") }
    }

    private func drop(_ file: URL, into folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let hidden = "\(folder)/.\(file.lastPathComponent)"
        try FileManager.default.copyItem(atPath: file.path, toPath: hidden)
        try FileManager.default.moveItem(atPath: hidden, toPath: "\(folder)/\(file.lastPathComponent)")
    }
}
