extension AIPhotoState {
    /// Firebase's settings and `lacks-certificates`: the backend cannot verify tokens and answers 401.
    var settings: JSONObject { firebase.settings.merging(["lacks-certificates": .bool(lacksCertificates)]) { $1 } }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        if name == "lacks-certificates" {
            lacksCertificates = try value.flag(of: name)
        } else if try !firebase.change(name, to: value) {
            throw noSetting(name)
        }
    }
}
