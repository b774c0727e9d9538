import ArgumentParser

/// Starts a station of its own.
typealias Measurement = @Sendable (Tools) async throws -> [Row]

enum Part: String, CaseIterable, ExpressibleByArgument {
    case submit, drain, distance, recovery, apart, queue, people, large, idle, page

    /// False for memory, wake-ups and pages, which are not compared with another build.
    var isSpeed: Bool { ![.large, .idle, .page].contains(self) }

    func measurements(longest: Int) -> [Measurement] {
        switch self {
        case .submit:
            return Samples.sizes.map { document -> Measurement in
                { tools in try await Submissions(tools: tools, document: document).measure() }
            }
        case .drain:
            return Samples.sizes.map { document -> Measurement in
                { tools in try await Drains(tools: tools, document: document).measure() }
            }
        case .distance:
            return [false, true].flatMap { isEncrypted -> [Measurement] in
                let link = Link(roundTrip: 50, isEncrypted: isEncrypted)
                return Samples.sizes.map { document -> Measurement in
                    { tools in try await Drains(tools: tools, document: document, link: link).measure() }
                }
            }
        case .recovery: return [{ try await Recovery(tools: $0).measure() }]
        case .apart: return [{ try await Apart(tools: $0).measure() }]
        case .queue: return [{ try await LongQueue(tools: $0, longest: longest).measure() }]
        case .people: return [{ try await LongLists(tools: $0, entries: max(longest, LongLists.people)).measure() }]
        case .large: return [{ try await LargeDocuments(tools: $0).measure() }]
        case .idle: return [{ try await Idling(tools: $0).measure() }]
        case .page: return [{ try await Pages(tools: $0).measure() }]
        }
    }
}
