/// The initial data of a simulated AIPhoto.
package struct AIPhotoConfiguration: Sendable {
    /// The Firebase project of its accounts, on the same port.
    package var firebase: FirebaseConfiguration
    /// The credits of a newly registered user.
    package var credits: Int
    package var products: [String: Int]

    /// Two accounts and two products.
    package init(
        firebase: FirebaseConfiguration = FirebaseConfiguration(), credits: Int = 5,
        products: [String: Int] = ["credits.10": 10, "credits.50": 50]
    ) {
        self.firebase = firebase
        self.credits = credits
        self.products = products
    }
}
