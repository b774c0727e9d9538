extension Problem {
    /// What a person did wrong, or what forbids the call, where the code leaves it open. It is the reason in the facts.
    package enum Reason: String, CaseIterable, Sendable {
        // With `invalid-request`
        case reasonTooLong, reasonMissing
        /// No password or token, or a password without an account.
        case signInIncomplete
        /// An empty password or token.
        case secretEmpty
        /// A token with characters that no token has.
        case tokenUnclean
        /// A token whose account must be named.
        case tokenUnnamed
        /// A correction that changes nothing.
        case sameValues
        case notAServerID, idIsNoNumber, remoteIDMissing
        /// The row was there before the entry was sent.
        case rowIsOlder
        /// The list was not read since the entry was sent.
        case listUnread
        /// The list was read since, and has no such new row.
        case rowNotNew
        /// Not the name of an entry.
        case notAName
        case ambiguousName
        /// The row that a page of a list begins after.
        case rowGone
        case dropFolderOff, noSuchCreate, pauseIsOver
        // With `wrong-state`
        case isWaiting, isBeingSent, isDelivered, hasFailed, isOnHold, isDiscarded
        case beingDiscarded, notUncertain, rowTaken, mayBeDelivered, hasDependents, belongsToNewRow
        /// A correction would be sent after a newer change of the same row, and overwrite it.
        case hasNewer
        /// The entry that was to create the row was discarded.
        case createDiscarded
        /// Another entry replaced the one that was to create the row, and creates it instead.
        case createReplaced
        /// The state of the entry that this one needs.
        case neededFailed, neededDiscarded, neededHeld
        /// Another entry has replaced it.
        case corrected
        case payloadGone, notDiscarded
        /// A sign-out is in progress.
        case signingOut
        /// Another account is signed in.
        case otherAccount
        /// The profile forbids a sign-out before the delivery.
        case unsent
        // With `not-listed`
        case unlisted, beingDeleted
        // With `sign-in-required`
        /// The account of the entry is not signed in.
        case ownerSignedOut
        // With `not-found`
        case noSuchFile
    }

    /// With the reason and the values of its detail.
    package func stating(_ reason: Reason, _ set: (inout SentenceFacts) -> Void = { _ in }) -> Problem {
        stating { facts in
            set(&facts)
            facts.reason = reason.rawValue
        }
    }
}
