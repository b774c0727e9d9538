extension Explanation {
    /// The cause that the sentence states, as a word.
    package enum Cause: String, ReportWord {
        case delivered, replaced, discarded, sending
        case refused
        case attemptsFailed = "attempts-failed"
        /// Refused as if the account were signed out.
        case refusedAsSignedOut = "refused-as-signed-out"
        case forbidden
        /// Its look-up did not settle its outcome.
        case lookUpUnsettled = "look-up-unsettled"
        /// It may have taken effect, and cannot be looked up.
        case noLookUp = "no-look-up"
        /// It waited when the restored backup was made, and cannot be looked up.
        case sinceBackup = "since-backup"
        /// The server answered the look-up as if there were no such path, or no such row.
        case lookUpImpossible = "look-up-impossible"
        case crashes, unreadable
        case unreadableAfterSend = "unreadable-after-send"
        case misfit
        case dependency
        case discarding
        case heldByPerson = "held-by-person"
        /// The row that it changes, as read, does not allow it.
        case rowForbids = "row-forbids"
        case noProfile = "no-profile"
        case otherAddress = "other-address"
        case paused
        case otherAccount = "other-account"
        case sessionEnded = "session-ended"
        case signingOut = "signing-out"
        case signedOut = "signed-out"
        /// Another entry creates its row first.
        case creation
        case earlier
        case earlierDiscarding = "earlier-discarding"
        case earlierFailed = "earlier-failed"
        case earlierHeld = "earlier-held"
        case behind
        case behindOne = "behind-one"
        case behindDiscarding = "behind-discarding"
        case behindFailed = "behind-failed"
        case behindHeld = "behind-held"
        case behindFailing = "behind-failing"
        case storeGone = "store-gone"
        case diskFull = "disk-full"
        case lookUpFailing = "look-up-failing"
        case refusedForNow = "refused-for-now"
        case refusedOther = "refused-other"
        case cooling
        case routeFailing = "route-failing"
        /// The outcome is unknown; Homing reads the list before it sends again.
        case doubtfulReads = "doubtful-reads"
        case doubtfulLooks = "doubtful-looks"
        case doubtfulSends = "doubtful-sends"
        case retrying
        case waitingForTime = "waiting-for-time"
        case retried, next
        /// The id of the row that another entry created is not known.
        case rowUnknown = "row-unknown"
        case creationFailed = "creation-failed"
        case creationDiscarded = "creation-discarded"
        case creationDiscarding = "creation-discarding"
        case creationMisplaced = "creation-misplaced"
        case creationDoubtful = "creation-doubtful"
        case creationHeld = "creation-held"
        /// The server stored other values than those of this entry.
        case misplaced
        case createdPerhaps = "created-perhaps"
        case unknown
    }

    /// A reason in the facts: a refused or failed entry may have taken effect anyway.
    package static let doubtful = "doubtful"

    /// Nil from a daemon that states none.
    package var knownCause: Cause? { cause.map { Cause(word: $0) } }
}
