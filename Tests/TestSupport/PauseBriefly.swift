/// Sleeps for two milliseconds in polling loops, since one with `Task.yield` would block a thread of the small pool.
package func pauseBriefly() async {
    try? await Task.sleep(for: .milliseconds(2))  // `try?`: on cancellation the loop's condition decides
}
