/// What is in an imitated AIPhoto when it starts.
package struct AIPhotoConfiguration: Sendable {
    /// The Firebase project that knows its accounts, on the same port.
    package var firebase: FirebaseConfiguration
    /// How many credits a user has who registers.
    package var credits: Int
    /// How many credits each product brings.
    package var products: [String: Int]

    /// Two accounts, five credits for each that registers, and two products.
    package init(
        firebase: FirebaseConfiguration = FirebaseConfiguration(), credits: Int = 5,
        products: [String: Int] = ["credits.10": 10, "credits.50": 50]
    ) {
        self.firebase = firebase
        self.credits = credits
        self.products = products
    }
}
