/// The initial data of a simulated AIPhoto.
package struct AIPhotoConfiguration: Sendable {
    /// The Firebase project of its accounts, on the same port.
    package var firebase = FirebaseConfiguration()
    /// The credits of a newly registered user.
    package var credits = 5

    package init(_ adjust: (inout Self) -> Void = { _ in }) { adjust(&self) }
}
