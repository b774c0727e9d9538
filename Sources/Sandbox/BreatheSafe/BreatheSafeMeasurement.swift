import Foundation

/// A row of `facial_measurements`.
struct BreatheSafeMeasurement: Sendable {
    /// Nil for a refused row.
    var id: Int?
    let user: Int?
    var source: String?
    var createdAt: Date?
    var arkit: JSON
    /// The given traditional measurements, as text.
    var values: JSONObject = [:]

    static let columns = [
        "face_width", "jaw_width", "face_depth", "face_length", "bitragion_menton_arc", "bitragion_subnasale_arc", "nasal_root_breadth",
        "nose_protrusion", "nose_bridge_height", "lip_width", "head_circumference", "nose_breadth", "lower_face_length",
    ]

    /// The traditional measurements among these values; numbers become text.
    static func columnValues(of object: JSONObject) -> JSONObject {
        var values: JSONObject = [:]
        for name in columns + ["cheek_fullness"] {
            switch object[name] {
            case let value? where value.number != nil: values[name] = .string(value.description)
            case let value?: values[name] = value
            case nil: break
            }
        }
        return values
    }

    var aggregate: ArkitAggregate { ArkitAggregate(arkit) }

    var json: JSON {
        let time = JSON.text(createdAt?.railsTimestamp)
        var object: JSONObject = [
            "id": .integer(id), "user_id": .integer(user), "source": .text(source),
            "cheek_fullness": values["cheek_fullness"] ?? .null, "created_at": time, "updated_at": time, "arkit": arkit,
        ]
        for name in Self.columns { object[name] = values[name] ?? .null }
        object["aggregated"] = aggregate.sums
        object["percent_complete"] = .decimal(aggregate.percentComplete)
        return .object(object)
    }
}
