extension LabLoopState {
    /// `log-ins` is the limit per 15 minutes, `stated-lifetime` the `expiresIn` of every response; null for no limit and the real lifetime.
    var settings: JSONObject {
        [
            "error-form": .string(configuration.errorForm.rawValue), "locked-status": .int(configuration.lockedStatus),
            "empties-web-refresh": .bool(configuration.emptiesWebRefresh), "log-ins": .integer(logIns.most),
            "stated-lifetime": .integer(configuration.statedLifetime),
        ]
    }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        switch name {
        case "error-form": configuration.errorForm = try value.word(of: name)
        case "locked-status":
            guard case .int(let status) = value, status == 401 || status == 423 else {
                throw FaultProblem(description: "\(name): expected 423 or 401; today's server sends 401")
            }
            configuration.lockedStatus = status
        case "empties-web-refresh": configuration.emptiesWebRefresh = try value.flag(of: name)
        case "log-ins": logIns.most = try value.count(of: name)
        case "stated-lifetime": configuration.statedLifetime = try value.count(of: name)
        default: throw noSetting(name)
        }
    }
}
