import ArgumentParser
import ControlAPI
import Foundation

struct LoginCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in, so that what waits for your account goes up.",
        discussion: """
            Asks for what is missing on the terminal. Neither a password nor a token is ever taken from the arguments, where others could read \
            it. Where people sign in elsewhere, with Google say, hand in the refresh token that came of it; an API key is a token that does \
            not change. With a token, --email is the name by which people shall know the account: not that of another one. Leave it out \
            where the account is known already.
            """)

    @Option(help: "The e-mail address of the account.") var email: String?
    @Flag(help: "Keep the password, sealed, so that an ended session is renewed without a person.") var remember = false
    @Flag(help: "Read the password from standard input.") var passwordStdin = false
    @Option(help: ArgumentHelp("Read the password from a file.", valueName: "file"), completion: .file()) var passwordFile: String?
    @Flag(help: "Read a refresh token from standard input.") var refreshTokenStdin = false
    @Flag(help: "Read a token that does not change from standard input: an API key.") var tokenStdin = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let given = [
            ("--password-stdin", passwordStdin), ("--password-file", passwordFile != nil), ("--refresh-token-stdin", refreshTokenStdin),
            ("--token-stdin", tokenStdin),
        ].filter(\.1).map(\.0)
        if given.count > 1 { throw ValidationError("Give only one of \(Words.list(given)).") }
        if remember && (refreshTokenStdin || tokenStdin) { throw ValidationError("--remember goes with a password only.") }
        if email?.trimmingCharacters(in: .whitespaces).isEmpty == true { throw ValidationError("The e-mail address is empty.") }
    }

    /// Where the options say that the password is.
    var passwordSource: PasswordSource { passwordStdin ? .standardInput : passwordFile.map { .file($0) } ?? .terminal }

    func run(_ context: Context) async throws {
        // Before anything is asked: a password typed for nothing is one too many.
        let sessions = try await context.client.call(Endpoints.sessions, NoInput()).sessions
        try target.require(among: sessions.map(\.backend))
        for session in sessions where target.backend ?? session.backend == session.backend { try requirePassword(at: session) }
        let session = try await context.client.call(Endpoints.signIn, try request(warn: context.console.warn))
        context.answer(session, SessionText.signedIn(session))
    }

    /// An error that says how people sign in at a backend where they have no password to be asked for.
    private func requirePassword(at session: SessionReport) throws(Problem) {
        guard !refreshTokenStdin, !tokenStdin, passwordSource == .terminal else { return }
        let (token, option): (String, String)
        switch session.signInBy {
        case "refresh_token":
            token = "a refresh token"
            option = "--refresh-token-stdin"
        case "token":
            token = "a token that does not change, an API key"
            option = "--token-stdin"
        default: return
        }
        let name = target.backend.map { " --backend \($0)" } ?? ""
        throw .invalid(
            "People sign in at \(session.backend) with \(token), and not with an e-mail address and a password.",
            next: "Hand the token in on standard input: ‘homing login\(name) \(option)’.")
    }

    private func request(warn: (String) -> Void) throws -> SignIn {
        if refreshTokenStdin || tokenStdin {
            let token = try PasswordSource.standardInput.secret("token", terminal: nil, input: .standardInput, warn: warn)
            return SignIn(
                backend: target.backend, email: email, refreshToken: refreshTokenStdin ? token : nil, token: tokenStdin ? token : nil)
        }
        let terminal = TerminalPrompt()
        let email = try email ?? terminal.askForEmail()
        let password = try passwordSource.secret("password", terminal: terminal, input: .standardInput, warn: warn)
        return SignIn(backend: target.backend, email: email, password: password, remember: remember)
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
