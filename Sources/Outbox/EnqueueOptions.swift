/// How the outbox accepts a batch of mutations.
package struct EnqueueOptions: Sendable {
    /// For events; nil for the drop folder.
    package var actor: String?
    /// Refuses a mutation that was accepted before without replacing its superseded entry, as `idConflict`.
    package var mustReplace: Bool
    /// Throws a refusal, and accepts none.
    package var isWhole: Bool
    /// Answered on the way, unless that would take long.
    package var question: StandingQuestion?

    package init(by actor: String? = nil, mustReplace: Bool = false, isWhole: Bool = false, answering question: StandingQuestion? = nil) {
        (self.actor, self.mustReplace, self.isWhole, self.question) = (actor, mustReplace, isWhole, question)
    }
}

/// The outcome of a batch.
package struct Enqueueing: Sendable {
    /// In the order of the mutations.
    package var results: [Result<Enqueued, OutboxError>]
    /// Nil if the options had no question, or the transaction left it open.
    package var standing: Standing?
}
