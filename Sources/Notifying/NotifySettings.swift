import Backends

/// The topics of notifications, and the times when they are shown or sent.
package struct NotifySettings: Equatable, Sendable {
    package var deliveredAfterOutage = true
    package var needsPerson = true
    package var signIn = true
    package var disk = true
    /// 0 for never.
    package var noDeliveryHours = 24
    package var quietHours: QuietHours?
    /// True if names of people may appear.
    package var names = false

    /// Valid values of `noDeliveryHours`.
    package static let noDeliveryRange = 0...8760

    package init() {}

    /// Reads its keys and leaves the others; the caller closes the table.
    package init(_ table: StrictTable) {
        deliveredAfterOutage = table.bool("delivered_after_outage") ?? deliveredAfterOutage
        needsPerson = table.bool("needs_person") ?? needsPerson
        signIn = table.bool("sign_in") ?? signIn
        disk = table.bool("disk") ?? disk
        noDeliveryHours = table.int("no_delivery_hours", in: Self.noDeliveryRange) ?? noDeliveryHours
        quietHours = table.read("quiet_hours", expected: "two different times of day, such as \"22:00-07:00\"") { node in
            node.text.flatMap(QuietHours.init)
        }
        names = table.bool("names") ?? names
    }
}
