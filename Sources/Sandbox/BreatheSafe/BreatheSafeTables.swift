import Foundation

/// A row of `users`.
struct BreatheSafeUser: Sendable, Equatable {
    let id: Int
    /// Managed users get a made-up address, so they cannot sign in.
    var email: String
    var isAdmin = false
    var isConfirmed = true
    let createdAt: Date
    var updatedAt: Date
    var failedLogIns = 0
    var lockedAt: Date?
    var rememberGeneration = 0

    var json: JSON {
        [
            "id": .integer(id), "email": .string(email), "created_at": .string(createdAt.railsTimestamp),
            "updated_at": .string(updatedAt.railsTimestamp), "admin": .bool(isAdmin), "consent_form_version_accepted": nil,
            "consent_form_accepted_at": nil, "forms": [:], "deleted_at": nil,
        ]
    }

    /// A row that this user created, changed or deleted for a user.
    func commit(_ resource: String, of user: Int?, _ remoteID: Int?, _ document: JSON?) -> Commit {
        Commit(
            resource: resource, account: id, user: user, remoteID: remoteID, clientMutationID: document?["client_mutation_id"]?.text,
            document: document)
    }
}

/// A row of `managed_users`; its `id` is not the user's.
struct BreatheSafeManagedUser: Sendable, Equatable {
    let id: Int
    let manager: Int
    let user: Int
    let createdAt: Date
}

/// A row of `profiles`.
struct BreatheSafeProfile: Sendable {
    let id: Int
    let user: Int
    let createdAt: Date
    var updatedAt: Date
    let externalToken: String
    var values: JSONObject = [
        "measurement_system": "imperial", "num_positive_cases_last_seven_days": nil, "num_people_population": nil,
        "uncounted_cases_multiplier": nil, "mask_type": nil, "event_display_risk_time": nil, "first_name": "Edit",
        "last_name": "Me", "height_meters": nil, "stride_length_meters": nil, "socials": nil, "external_api_token": nil,
        "can_post_via_external_api": true, "demographics": nil, "race_ethnicity": nil, "gender_and_sex": nil,
        "other_gender": nil, "year_of_birth": nil, "study_start_datetime": nil, "study_goal_end_datetime": nil,
    ]

    private static let texts = [
        "first_name", "last_name", "measurement_system", "year_of_birth", "race_ethnicity", "gender_and_sex", "other_gender",
    ]
    private static let numbers = ["height_meters", "stride_length_meters"]

    /// Sets the permitted values; `updatedAt` stays the same if nothing changes.
    mutating func change(_ changes: JSONObject, at now: Date) {
        var changed = values
        for name in Self.texts + Self.numbers {
            guard let value = changes[name], value.isSingle else { continue }
            changed[name] = Self.texts.contains(name) && value != .null && value.text == nil ? .string(value.description) : value
        }
        if let socials = changes["socials"]?.members {
            changed["socials"] = .object(socials.filter { ["mastodon", "twitter", "facebook"].contains($0.key) && $0.value.isSingle })
        }
        if changed != values { updatedAt = now }
        values = changed
    }

    var valuesWithToken: JSONObject { values.merging(["external_api_token": .string(externalToken)]) { $1 } }

    var json: JSON {
        let row: JSONObject = [
            "user_id": .integer(user), "id": .integer(id), "created_at": .string(createdAt.railsTimestamp),
            "updated_at": .string(updatedAt.railsTimestamp),
        ]
        return .object(row.merging(valuesWithToken) { $1 })
    }
}

/// A row of `masks`.
struct BreatheSafeMask: Sendable {
    let id: Int
    let code: String
    let author: Int?
    let createdAt: Date
    var values: JSONObject = [:]

    var json: JSON {
        let row: JSONObject = [
            "id": .integer(id), "unique_internal_model_code": .string(code), "modifications": nil, "image_urls": [],
            "author_ids": [], "where_to_buy_urls": [], "created_at": .string(createdAt.railsTimestamp),
            "updated_at": .string(createdAt.railsTimestamp), "strap_type": nil, "mass_grams": nil, "height_mm": nil,
            "width_mm": nil, "depth_mm": nil, "has_gasket": nil, "initial_cost_us_dollars": nil, "sources": [],
            "notes": nil, "filter_type": nil, "filtration_efficiencies": [], "breathability": [], "style": nil,
            "filter_change_cost_us_dollars": nil, "age_range": nil, "has_exhalation_valve": nil,
            "author_id": .integer(author), "perimeter_mm": nil, "payable_datetimes": [], "colors": [], "duplicate_of": nil,
            "brand_id": nil, "bulk_fit_tests_import_id": nil, "current_state": [:],
        ]
        return .object(row.merging(values) { $1 })
    }

    var listed: JSON {
        var object = json.members ?? [:]
        let columns: JSONObject = [
            "image_urls": [""], "where_to_buy_urls": [""], "author_ids": "{}", "sources": "{}", "current_state": "{}", "available": true,
            "fit_family_id": .int(id), "american_indian_or_alaskan_native_count": 0, "asian_pacific_islander_count": 0,
            "black_african_american_count": 0, "hispanic_count": 0, "white_caucasian_count": 0,
        ]
        object.merge(columns) { $1 }
        return .object(object)
    }
}
