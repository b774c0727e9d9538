import ArgumentParser
import ControlAPI
import Foundation

struct LoginCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in, so that what waits for your account goes up.",
        discussion: "Asks for what is missing on the terminal. A password is never taken from the arguments, where others could read it.")

    @Option(help: "The e-mail address of the account.") var email: String?
    @Flag(help: "Keep the password, sealed, so that an ended session is renewed without a person.") var remember = false
    @Flag(help: "Read the password from standard input.") var passwordStdin = false
    @Option(help: ArgumentHelp("Read the password from a file.", valueName: "file"), completion: .file()) var passwordFile: String?
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if passwordStdin && passwordFile != nil { throw ValidationError("Give either --password-stdin or --password-file, not both.") }
        if email?.trimmingCharacters(in: .whitespaces).isEmpty == true { throw ValidationError("The e-mail address is empty.") }
    }

    /// Where the options say that the password is.
    var passwordSource: PasswordSource { passwordStdin ? .standardInput : passwordFile.map { .file($0) } ?? .terminal }

    func run(_ context: Context) async throws {
        let terminal = TerminalPrompt()
        let email = try email ?? terminal.askForEmail()
        let password = try passwordSource.password(terminal: terminal, input: .standardInput, warn: context.console.warn)
        let session = try await context.client.call(
            Endpoints.signIn, SignIn(backend: target.backend, email: email, password: password, remember: remember))
        context.answer(session, SessionText.signedIn(session))
    }
}

extension TerminalPrompt? {
    /// Asks for the e-mail address; without a terminal, or without an answer, an error that says what to do.
    func askForEmail() throws -> String {
        guard let prompt = self else {
            throw Problem.invalid(
                "There is no terminal to ask for the e-mail address.",
                next: "Give it with --email, and the password with --password-file FILE.")
        }
        let answer = try prompt.ask("E-mail: ")?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !answer.isEmpty else { throw Problem.invalid("No e-mail address was given.", next: "Run it again and type the address.") }
        return answer
    }
}
