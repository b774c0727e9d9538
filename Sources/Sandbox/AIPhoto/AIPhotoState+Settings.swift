extension AIPhotoState {
    /// Those of Firebase, and `lacks-certificates`: no token can be verified, which AIPhoto reports as 401.
    var settings: JSONObject { firebase.settings.merging(["lacks-certificates": .bool(lacksCertificates)]) { $1 } }

    mutating func change(_ name: String, to value: JSON) throws(FaultProblem) {
        if name == "lacks-certificates" {
            lacksCertificates = try value.flag(of: name)
        } else if try !firebase.change(name, to: value) {
            throw noSetting(name)
        }
    }
}
