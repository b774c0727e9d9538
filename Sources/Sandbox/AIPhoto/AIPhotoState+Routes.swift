import Foundation

extension AIPhotoState {
    private static let products = ["credits.10": 10, "credits.50": 50]

    /// Registers the account or updates it; an unchanged user commits nothing.
    mutating func register(_ call: AIPhotoCall, as account: SandboxAccount) throws(Refusal) -> SandboxReply {
        let body = try call.body()
        guard let name = body["name"]?.text, let email = body["email"]?.text, email.contains("@") else { throw .internalError }
        let known = users[account.id]
        var user =
            known
            ?? AIPhotoUser(
                id: users.count + 1, firebaseUID: account.id, name: name, email: email, avatarURL: nil, credits: configuration.credits)
        user.name = name
        user.email = email
        user.avatarURL = body["avatar_url"]?.text ?? user.avatarURL
        users[account.id] = user
        let commit = commit("user", user.id, body, of: call, by: account)
        return success(user.json, of: call, commit: user == known ? nil : commit)
    }

    /// Creates an image for one credit; a repeated request costs another.
    mutating func processImage(_ call: AIPhotoCall, as account: SandboxAccount) throws(Refusal) -> SandboxReply {
        let body = try call.body()
        guard body["template_id"]?.text?.isEmpty == false, body["image_base64"]?.text?.isEmpty == false else { throw .internalError }
        var user = try user(of: account)
        guard user.credits > 0 else { throw Refusal(403, "insufficient_credits", "Insufficient credits") }
        user.credits -= 1
        users[account.id] = user
        images += 1
        let data: JSON = [
            "imageId": .string("img_\(images)"), "imageUrl": .string("https://images.example.org/img_\(images).png"),
            "creditsRemaining": .int(user.credits),
        ]
        return success(data, of: call, commit: commit("image", images, body, of: call, by: account))
    }

    /// A repeated transaction changes nothing and returns the same response.
    mutating func purchase(_ call: AIPhotoCall, as account: SandboxAccount) throws(Refusal) -> SandboxReply {
        let body = try call.body()
        guard let transaction = AIPhotoPurchase.transaction(of: body["transaction_data"]), let product = body["product_id"]?.text else {
            throw .internalError
        }
        guard let credits = Self.products[product] else { throw Refusal(404, "product_not_found", "Product not found") }
        var user = try user(of: account)
        func answer(_ purchase: AIPhotoPurchase, commit: Commit?) -> SandboxReply {
            let data: JSON = [
                "purchaseId": .string("purchase_\(purchase.id)"), "productId": .string(purchase.product),
                "creditsAdded": .int(purchase.credits), "credits": .int(user.credits),
            ]
            return success(data, of: call, commit: commit)
        }
        if let known = purchases.first(where: { $0.transaction == transaction }) { return answer(known, commit: nil) }
        let purchase = AIPhotoPurchase(id: purchases.count + 1, transaction: transaction, product: product, credits: credits)
        purchases.append(purchase)
        user.credits += credits
        users[account.id] = user
        return answer(purchase, commit: commit("purchase", purchase.id, body, of: call, by: account))
    }

    /// Adds a credit; a repeated request adds another.
    mutating func reward(_ call: AIPhotoCall, as account: SandboxAccount) throws(Refusal) -> SandboxReply {
        var user = try user(of: account)
        user.credits += 1
        users[account.id] = user
        return success(["credits": .int(user.credits)], of: call, commit: commit("reward", nil, [:], of: call, by: account))
    }

    private func user(of account: SandboxAccount) throws(Refusal) -> AIPhotoUser {
        guard let user = users[account.id] else { throw Refusal(404, "user_not_found", "User not found") }
        return user
    }

    private func commit(
        _ resource: String, _ id: Int?, _ body: JSONObject, of call: AIPhotoCall, by account: SandboxAccount
    ) -> Commit {
        Commit(
            resource: resource, account: account.number, user: users[account.id]?.id, remoteID: id,
            clientMutationID: call.request.clientMutationID(in: body), document: .object(body))
    }
}
