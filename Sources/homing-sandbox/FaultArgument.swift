import ArgumentParser
import Sandbox

/// A fault in the form `name:key=value,...`.
struct FaultArgument: ExpressibleByArgument {
    let value: Fault

    init?(argument: String) {
        do {
            value = try Fault(argument: argument)
        } catch {
            // The parser's message has no reason.
            StandardOutput.errorLine("--fault \(argument): \(error.description)")
            return nil
        }
    }
}

/// A setting in the form `name=value`.
struct SettingArgument: ExpressibleByArgument {
    let name: String
    let value: JSON

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        name = parts[0]
        // `try?`: a value that is not JSON is a string without quotes.
        value = (try? JSON(bytes: Array(parts[1].utf8))) ?? .string(parts[1])
    }
}

/// A managed user in the form `user[:manager]`.
struct ManagedUserArgument: ExpressibleByArgument {
    let value: BreatheSafeConfiguration.ManagedUser

    init?(argument: String) {
        let numbers = argument.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...2).contains(numbers.count), let user = numbers[0], user > 0, let manager = numbers.count == 2 ? numbers[1] : 1 else {
            return nil
        }
        value = BreatheSafeConfiguration.ManagedUser(user: user, manager: manager)
    }
}
