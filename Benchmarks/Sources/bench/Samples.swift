import Foundation

enum Samples {
    typealias Document = (name: String, data: Data)
    static let sizes: [Document] = [("2 KB", small), ("17 KB", large)]

    /// About 17 KB: a capture of the app.
    static let large: Data = {
        (try? Data(contentsOf: URL(fileURLWithPath: "\(Station.project)/Tests/Data/arkit/capture-01.json"))) ?? Data()
    }()
    /// The minimum that the route accepts.
    static let least = Data(#"{"average_measurements":{}}"#.utf8)
    static let small: Data = {
        let rows = (1...45).map { #""\#($0)-\#($0 + 800)":{"value":1\#($0).25,"description":"n"}"# }.joined(separator: ",")
        return Data(#"{"timestamp":1765000000,"average_measurements":{\#(rows)}}"#.utf8)
    }()
}
