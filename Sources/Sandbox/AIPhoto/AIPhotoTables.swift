struct AIPhotoUser: Sendable, Equatable {
    let id: Int
    let firebaseUID: String
    var name: String
    var email: String
    var avatarURL: String?
    var credits: Int

    var json: JSON {
        [
            "id": .int(id), "firebaseUid": .string(firebaseUID), "name": .string(name), "email": .string(email),
            "avatarUrl": .text(avatarURL), "credits": .int(credits),
        ]
    }
}

struct AIPhotoPurchase: Sendable {
    let id: Int
    /// Apple's `originalTransactionId`.
    let transaction: String
    let product: String
    let credits: Int

    /// The transaction: an object or a signed token with `originalTransactionId`, or the identifier itself.
    static func transaction(of data: JSON?) -> String? {
        switch data {
        case .string(""): return nil
        case .string(let text):
            return TokenSigner.claims(of: text)?["originalTransactionId"]?.text ?? text
        case .object(let object):
            return object["originalTransactionId"]?.text ?? object["originalTransactionId"]?.integer.map { String($0) }
        default: return nil
        }
    }
}
