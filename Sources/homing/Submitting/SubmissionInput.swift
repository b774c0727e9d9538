import ControlAPI
import Foundation
import SyncModel

/// The path of a file to submit; `-` is standard input.
struct SubmissionInput {
    let name: String

    /// The document, and the key of its file; nil if the file may not be recognized again.
    func document(inputIsTerminal: Bool) throws(Problem) -> (document: CaptureDocument, key: FileKey?) {
        if name == "-" {
            guard !inputIsTerminal else {
                throw .invalid("No file was named.", next: "Name the files to submit, or pipe one into standard input. \(Self.alone)")
            }
            let content = try contents(.standardInput, "standard input")
            guard !content.isEmpty else {
                throw .invalid("Standard input is empty, and no file was named.", next: "Name the files to submit. \(Self.alone)")
            }
            return (try CaptureDocument(content, from: "Standard input"), nil)
        }
        guard let file = FileHandle(forReadingAtPath: name) else {
            throw .invalid("‘\(name)’ cannot be opened.", next: "Name a file that exists and that you may read.")
        }
        let key = FileKey(file)
        let document = try CaptureDocument(contents(file, "‘\(name)’"), from: "‘\(name)’")
        // A program may have changed the file meanwhile.
        return (document, key == FileKey(file) ? key : nil)
    }

    private static let alone = "If the route has no payload, add --no-document."

    private func contents(_ file: FileHandle, _ shown: String) throws(Problem) -> Data {
        let limit = Mutation.largestPayload
        let all: Data?
        do {
            all = try file.contents(atMost: limit)
        } catch {
            throw .invalid("\(shown) cannot be read.", next: "Name a file, not a folder.")
        }
        guard let all else {
            let size = file.regularSize.map { " It has \(Words.size($0))." } ?? ""
            throw Problem(
                .tooLarge, status: 413, title: "Too large",
                detail: "\(shown.capitalisedFirst) is larger than \(limit >> 20) MiB, the limit for a payload.\(size)",
                next: "Name the file of one capture, as the capture app wrote it.")
        }
        return all
    }
}
