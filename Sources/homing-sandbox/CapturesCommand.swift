import ArgumentParser
import Foundation
import Sandbox

struct CapturesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "captures", abstract: "Write made-up captures of people who do not exist, for breathesafe.",
        discussion: """
            Creates the folder, and replaces files of the same name. The same seed gives the same files. More people, or more captures of each, \
            leave the others as they are.
            """)

    @Option(help: "The number of people, from 1 to 999.")
    var people = 20

    @Option(help: "The number of captures of each person, from 1 to 99.")
    var each = 1

    @Option(help: "A number that selects the people.")
    var seed: UInt64 = 1

    @Argument(help: "The folder for the files.", completion: .directory)
    var folder: String

    func validate() throws {
        for (name, value, most) in [("--people", people, 999), ("--each", each, 99)] where !(1...most).contains(value) {
            throw ValidationError("\(name): expected a whole number from 1 to \(most)")
        }
    }

    func run() throws {
        let directory = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for person in 1...people {
            for capture in MadeUpCapture.captures(ofPerson: person, count: each, seed: seed) {
                try Data(capture.document.bytes).write(to: directory.appending(path: capture.fileName), options: .atomic)
            }
        }
        StandardOutput.line("Wrote \(people * each) captures of \(people) people to \(folder).")
    }
}
