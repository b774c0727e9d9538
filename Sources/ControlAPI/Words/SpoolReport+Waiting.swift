extension SpoolReport {
    /// Files that wait to be taken, or for a sign-in. The others have a notice: those of a failing drop folder, and those to claim.
    package func waitingFiles(isFailing: Bool, isClaimable: Bool) -> Int { (isFailing ? 0 : waiting) + (isClaimable ? 0 : unclaimed) }
}
