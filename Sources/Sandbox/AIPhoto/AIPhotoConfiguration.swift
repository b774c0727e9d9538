/// The initial data of a simulated AIPhoto.
package struct AIPhotoConfiguration: Sendable {
    /// The Firebase project of its accounts, on the same port.
    package var firebase: FirebaseConfiguration
    /// The credits of a newly registered user.
    package var credits: Int

    package init(firebase: FirebaseConfiguration = FirebaseConfiguration(), credits: Int = 5) {
        self.firebase = firebase
        self.credits = credits
    }
}
