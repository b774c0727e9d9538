import ControlAPI
import Foundation

/// A file to hand in, by its path; `-` is standard input.
struct SubmissionInput {
    let name: String

    func document(inputIsTerminal: Bool) throws(Problem) -> CaptureDocument {
        if name == "-" {
            guard !inputIsTerminal else {
                throw .invalid("No file was named.", next: "Name the files to hand in, or pipe one into standard input.")
            }
            return try CaptureDocument(contents(.standardInput, "standard input"), from: "Standard input")
        }
        guard let file = FileHandle(forReadingAtPath: name) else {
            throw .invalid("‘\(name)’ cannot be opened.", next: "Name a file that exists and that you may read.")
        }
        return try CaptureDocument(contents(file, "‘\(name)’"), from: "‘\(name)’")
    }

    private func contents(_ file: FileHandle, _ shown: String) throws(Problem) -> Data {
        do {
            return try file.readToEnd() ?? Data()
        } catch {
            throw .invalid("\(shown) cannot be read.", next: "Name a file, not a folder.")
        }
    }
}
