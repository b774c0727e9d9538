import ArgumentParser
import Sandbox

/// A fault on the command line, `name:key=value,...`.
struct FaultArgument: ExpressibleByArgument {
    let value: Fault

    init?(argument: String) {
        do {
            value = try Fault(argument: argument)
        } catch {
            // The parser only says that the value is invalid; this says why.
            StandardOutput.errorLine("--fault \(argument): \(error.description)")
            return nil
        }
    }
}

/// A managed user on the command line, `user[:manager]`.
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
