/// Lets a few milliseconds pass, for loops that wait for something: one that only yields would keep a thread of the small pool busy.
package func pauseBriefly() async {
    try? await Task.sleep(for: .milliseconds(2))  // `try?`: cancelled, the loop's own condition decides
}
