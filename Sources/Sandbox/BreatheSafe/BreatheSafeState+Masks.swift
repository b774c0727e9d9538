extension BreatheSafeState {
    /// The masks for fit tests, 12 per page by default; needs no sign-in.
    func listMasks(_ visit: BreatheSafeVisit) -> BreatheSafeReply {
        let page = Page(of: visit, usually: 12)
        return .json(
            200,
            [
                "masks": .array(page.rows(of: masks).map(\.listed)), "total_count": .integer(masks.count), "page": .int(page.number),
                "per_page": .int(page.size), "messages": [],
            ])
    }

    /// Adds a mask; 422 if its code exists.
    mutating func addMask(_ visit: BreatheSafeVisit) throws(RailsException) -> BreatheSafeReply {
        guard let author = visit.user else { return .json(401, ["mask": [:], "messages": ["Unauthorized."]]) }
        let given = try visit.required("mask")
        guard let code = given["unique_internal_model_code"]?.text, !masks.contains(where: { $0.code == code }) else {
            throw .unprocessable
        }
        var mask = BreatheSafeMask(id: nextID(of: "masks"), code: code, author: author.id, createdAt: visit.now)
        for name in ["filter_type", "style", "strap_type", "notes"] { mask.values[name] = given[name] }
        masks.append(mask)
        return .json(
            201, ["mask": mask.json, "messages": []],
            commit: Commit(resource: "mask", account: author.id, user: nil, remoteID: mask.id, document: given))
    }
}
