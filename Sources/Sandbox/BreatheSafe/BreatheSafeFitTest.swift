import Foundation

struct BreatheSafeFitTest: Sendable {
    let id: Int
    let user: Int
    /// The user's newest measurement when the fit test was stored.
    let measurement: Int?
    let source: Int?
    let createdAt: Date
    var updatedAt: Date
    var values: JSONObject

    var json: JSON {
        let row: JSONObject = [
            "id": .integer(id), "created_at": .string(createdAt.railsTimestamp), "updated_at": .string(updatedAt.railsTimestamp),
            "facial_measurement_id": .integer(measurement), "user_id": .integer(user), "source_fit_test_id": .integer(source),
        ]
        return .object(values.merging(row) { $1 })
    }

    static let longestNotes = 10_000

    static let columns: JSONObject = [
        "mask_id": nil, "user_seal_check": nil, "comfort": nil, "facial_hair": nil, "results": nil,
        "quantitative_fit_testing_device_id": nil, "bulk_fit_tests_import_id": nil, "mask_modded": false, "notes": nil, "procedure": nil,
    ]

    /// The permitted values: scalars, and the permitted members of objects.
    static func permitted(_ given: JSONObject) -> JSONObject {
        var values: JSONObject = [:]
        for name in ["mask_id", "quantitative_fit_testing_device_id", "mask_modded", "notes", "procedure"] {
            if let value = given[name], value.isSingle { values[name] = value }
        }
        for (name, members) in objects {
            guard let object = given[name]?.members else { continue }
            values[name] = .object(object.filter { members.isEmpty || (members.contains($0.key) && $0.value.isSingle) })
        }
        return values
    }

    /// The permitted members by object column; an empty set permits all.
    private static let objects: [String: Set<String>] = [
        "facial_hair": ["beard_length_mm", "beard_cover_technique"],
        "comfort": [
            "How comfortable is the position of the mask on the nose?", "Is there enough room to talk?",
            "How comfortable is the position of the mask on face and cheeks?",
        ],
        "results": [], "user_seal_check": [],
    ]
}

extension JSON {
    /// True for neither an array nor an object: Rails' scalar parameters.
    var isSingle: Bool { elements == nil && members == nil }
}

extension BreatheSafeState {
    static let emptyResults: JSON = [
        "qualitative": [
            "aerosol": ["solution": "Saccharin"], "procedure": nil,
            "exercises": exercises(
                "result", "Normal breathing", "Deep breathing", "Turning head side to side", "Moving head up and down", "Talking",
                "Bending over", "Normal breathing"),
        ],
        "quantitative": [
            "testing_mode": "N95",
            "exercises": exercises(
                "fit_factor", "Bending over", "Talking", "Turning head side to side", "Moving head up and down", "Normal breathing 1",
                "Normal breathing 2", "Grimace", "Deep breathing", "Normal breathing (SEALED)"),
        ],
    ]

    private static func exercises(_ result: String, _ names: String...) -> JSON {
        .array(names.map { ["name": .string($0), result: nil] })
    }
}
