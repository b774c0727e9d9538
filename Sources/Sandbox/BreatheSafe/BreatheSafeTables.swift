import Foundation

/// A row of `users`.
struct BreatheSafeUser: Sendable, Equatable {
    let id: Int
    /// Nil for managed users, who cannot sign in.
    var email: String?
    var isAdmin = false
    var isConfirmed = true
    let createdAt: Date
    var updatedAt: Date
    var failedLogIns = 0
    var lockedAt: Date?
    var rememberGeneration = 0

    var json: JSON {
        [
            "id": .integer(id), "email": .text(email), "created_at": .string(createdAt.railsTimestamp),
            "updated_at": .string(updatedAt.railsTimestamp), "admin": .bool(isAdmin), "consent_form_version_accepted": nil,
            "consent_form_accepted_at": nil, "forms": [:], "deleted_at": nil,
        ]
    }
}

/// A row of `managed_users`, whose identifier is not the user's.
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

    /// Takes the values that a profile has and drops the others, as Rails' permitted parameters do.
    mutating func change(_ changes: JSONObject, at now: Date) {
        for (name, value) in changes where values[name] != nil && name != "external_api_token" { values[name] = value }
        updatedAt = now
    }

    /// The values with the token of this profile.
    var valuesWithToken: JSONObject { values.merging(["external_api_token": .string(externalToken)]) { $1 } }

    var json: JSON {
        let row: JSONObject = [
            "user_id": .integer(user), "id": .integer(id), "created_at": .string(createdAt.railsTimestamp),
            "updated_at": .string(updatedAt.railsTimestamp),
        ]
        return .object(row.merging(valuesWithToken) { $1 })
    }
}

/// A row of `fit_tests`.
struct BreatheSafeFitTest: Sendable {
    let id: Int
    let user: Int
    /// The user's newest measurement when the fit test came.
    let measurement: Int?
    let createdAt: Date
    var updatedAt: Date
    var values: JSONObject

    var json: JSON {
        let row: JSONObject = [
            "id": .integer(id), "created_at": .string(createdAt.railsTimestamp), "updated_at": .string(updatedAt.railsTimestamp),
            "facial_measurement_id": .integer(measurement), "user_id": .integer(user),
        ]
        return .object(values.merging(row) { $1 })
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
}
