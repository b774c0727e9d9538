import Foundation
import SyncModel

package struct ProfileLibrary {
    private let constants: [String: String]
    private let mistakes: MistakeCollector

    /// The words for `extends`.
    static let presetName = "the name of another profile in this folder, without .yaml"

    /// Reads every `*.yaml`. Presets that others extend are not backends. Throws all mistakes of all files.
    package static func load(directory: String, deviceID: String, version: String) throws(Mistakes) -> [Backend] {
        let mistakes = MistakeCollector()
        let backends = read(directory: directory, deviceID: deviceID, version: version, mistakes: mistakes)
        try mistakes.check()
        return backends
    }

    /// Like `load`, with mistakes in `mistakes`. A backend with mistakes may be missing or incomplete.
    package static func read(directory: String, deviceID: String, version: String, mistakes: MistakeCollector) -> [Backend] {
        let library = ProfileLibrary(constants: ["device_id": deviceID, "version": version], mistakes: mistakes)
        return library.backends(library.files(in: directory)).sorted { $0.name < $1.name }
    }

    /// Loads one profile and the preset it extends. Throws all mistakes.
    package static func load(file path: String, deviceID: String, version: String) throws(Mistakes) -> Backend {
        let mistakes = MistakeCollector()
        let library = ProfileLibrary(constants: ["device_id": deviceID, "version": version], mistakes: mistakes)
        let place = URL(fileURLWithPath: path)
        let stem = place.deletingPathExtension().lastPathComponent
        var files: [String: YAMLNode] = [:]
        files[stem] = library.file(path)
        if let preset = files[stem]?.member("extends")?.text, preset != stem {
            let file = place.deletingLastPathComponent().appendingPathComponent("\(preset).yaml").path
            if FileManager.default.fileExists(atPath: file) { files[preset] = library.file(file) }
        }
        let backends = library.backends(files)
        try mistakes.check()
        guard let backend = backends.first(where: { $0.profile.source.file == path }) else {
            throw Mistakes([Mistake(file: path, key: "base_url", found: "nothing", expected: "the URL of a backend")])
        }
        return backend
    }

    /// `*.yml` files, which are not read but may be meant as profiles.
    package static func ignored(in directory: String) -> [String] {
        // `try?`: `files(in:)` reports an unreadable folder.
        ((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).filter { $0.hasSuffix(".yml") }.sorted()
    }

    /// By name without `.yaml`.
    private func files(in directory: String) -> [String: YAMLNode] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: directory).filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
        } catch {
            let found = FileManager.default.fileExists(atPath: directory) ? "something that is not a readable folder" : "no such folder"
            mistakes.add(
                Mistake(
                    file: directory, key: "", found: found,
                    expected: "a folder with a profile for each backend: create it, or set ‘backends:’ in homing.yaml to its path"))
            return [:]
        }
        var files: [String: YAMLNode] = [:]
        for name in names.sorted() {
            files[String(name.dropLast(".yaml".count))] = file("\(directory)/\(name)")
        }
        return files
    }

    private func file(_ path: String) -> YAMLNode? {
        guard let text = YAMLNode.text(of: path) else {
            let found = YAMLNode.unreadable("an unreadable file", at: path)
            mistakes.add(Mistake(file: path, key: "", found: found, expected: "a regular file of UTF-8 text, at most 1 MiB"))
            return nil
        }
        return YAMLNode.parse(text, file: path, mistakes: mistakes)
    }

    private func backends(_ files: [String: YAMLNode]) -> [Backend] {
        let extended = Set(files.values.compactMap { $0.member("extends")?.text })
        var backends: [Backend] = []
        var fileOfName: [String: String] = [:]
        for (stem, file) in files.sorted(by: { $0.key < $1.key }) {
            if extended.contains(stem), file.member("base_url") == nil { continue }
            guard let whole = merged(file, files) else { continue }
            let ofProfile = MistakeCollector()
            let profile = Profile(whole, constants: constants, mistakes: ofProfile)
            // A mistake in a preset is reported once, not for every profile that extends it.
            for mistake in ofProfile.all.map(\.withPlacesOfKey) where !mistakes.all.contains(mistake) { mistakes.add(mistake) }
            let name = file.member("name")
            guard let profile else { continue }
            if profile.name != stem, file.member("extends") == nil {
                mistakes.add(
                    at: file, line: name?.line, key: "name", found: "\"\(profile.name)\"",
                    expected: "\"\(stem)\", the file name without .yaml")
            } else if let other = fileOfName[profile.name] {
                mistakes.add(
                    at: file, line: name?.line, key: "name", found: "\"\(profile.name)\"",
                    expected: "a unique name; \(other) already uses this one")
            }
            fileOfName[profile.name] = file.file
            backends.append(Backend(profile))
        }
        return backends
    }

    /// Keeps the file's own name; nil if the other file is missing or unusable.
    private func merged(_ file: YAMLNode, _ files: [String: YAMLNode]) -> YAMLNode? {
        guard let reference = file.member("extends") else { return file }
        guard let stem = reference.text, let base = files[stem] else {
            mistakes.add(
                at: reference, key: "extends",
                expected: Self.presetName + (reference.text.map { "; copy \($0).yaml into the folder" } ?? ""))
            return nil
        }
        if let deeper = base.member("extends") {
            mistakes.add(
                at: reference, key: "extends", found: "\(reference.summary), which itself extends \(deeper.summary)",
                expected: "a profile that does not extend another")
            return nil
        }
        guard StrictTable(base, mistakes: mistakes) != nil, case .table(let members) = base.content else { return nil }
        let inherited = members.filter { !["name", "extends", "schema"].contains($0.key) }
        return file.merged(over: YAMLNode(file: base.file, line: base.line, content: .table(inherited)))
    }
}
