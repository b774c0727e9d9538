import Foundation

/// Opens an address through a private file, because other users can see program arguments.
struct BrowserLauncher: Sendable {
    private let path: String

    /// Nil without a desktop, or without a private folder for the file.
    init?(environment: [String: String]) {
        guard ["DISPLAY", "WAYLAND_DISPLAY"].contains(where: { environment[$0]?.isEmpty == false }),
            let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/")
        else { return nil }
        var facts = stat()
        guard lstat(folder, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR, facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0
        else { return nil }
        path = "\(folder)/homing-dashboard-\(UUID().uuidString).html"
    }

    /// Opens the address; ignores failures, because it is on the terminal too. `address` must have no characters that HTML would read.
    func open(_ address: String) {
        let page = """
            <!doctype html><meta charset="utf-8"><title>Homing</title><meta http-equiv="refresh" content="0;url=\(address)">

            """
        // `try?`: see above.
        guard (try? ExportFile.write(Data(page.utf8), to: path)) != nil else { return }
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["xdg-open", path]
        program.standardInput = FileHandle.nullDevice
        program.standardOutput = FileHandle.nullDevice
        program.standardError = FileHandle.nullDevice
        try? program.run()
    }

    /// Removes the file.
    func tidy() { unlink(path) }
}
