import ArgumentParser
import ControlAPI
import Foundation

struct LoginCommand: DaemonCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in, so that Homing can send the waiting entries of your account.",
        discussion: """
            Asks for missing values on the terminal. A password or token is never taken from the arguments, where other users could \
            read it. If standard input is a terminal, it asks for the secret and does not show it.

            If people sign in elsewhere, for example with Google, give the refresh token of that sign-in. An API key is a token that \
            does not change. With a token, --email is the display name of the account; do not use the name of another account. An \
            account that already has a name keeps it. If the backend does not say which account a token belongs to, --email is \
            required, and must be the same for each token of the account.
            """)

    @Option(help: "The email address of the account.") var email: String?
    @Flag(help: "Keep the password, sealed, so that Homing can renew an ended session automatically.") var remember = false
    @Flag(help: "Read the password from standard input.") var passwordStdin = false
    @Option(help: ArgumentHelp("Read the password from a file.", valueName: "file"), completion: .file()) var passwordFile: String?
    @Flag(help: "Read a refresh token from standard input.") var refreshTokenStdin = false
    @Flag(help: "Read a token that does not change, such as an API key, from standard input.") var tokenStdin = false
    @Flag(help: "Then claim the files that were dropped while signed out, and send them as this account.") var claim = false
    @OptionGroup var target: BackendOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        let given = [
            ("--password-stdin", passwordStdin), ("--password-file", passwordFile != nil), ("--refresh-token-stdin", refreshTokenStdin),
            ("--token-stdin", tokenStdin),
        ].filter(\.1).map(\.0)
        if given.count > 1 { throw ValidationError("Give only one of \(given.inWords).") }
        if remember && (refreshTokenStdin || tokenStdin) { throw ValidationError("--remember can only be used with a password.") }
        if email?.trimmingCharacters(in: .whitespaces).isEmpty == true { throw ValidationError("The email address is empty.") }
    }

    var passwordSource: PasswordSource { passwordStdin ? .standardInput : passwordFile.map { .file($0) } ?? .terminal }

    func run(_ context: Context) async throws {
        // Checks the backend before it asks for a password.
        let report = try await context.client.call(Endpoints.status, NoInput()).backend(named: target.backend)
        try requirePassword(at: report)
        let request = try request(at: report, warn: context.console.warn)
        let session = try await context.client.call(Endpoints.signIn, request)
        var now: BackendReport?
        var question: String?
        var pause: String?
        // `try?`: the sign-in has succeeded; the status only adds notes.
        if !context.asJSON, let status = try? await context.client.call(Endpoints.status, NoInput()) {
            now = status.backends.first { $0.name == session.backend }
            question = ClaimText.question(status, at: session.backend)
            pause = PauseReportText.present(at: session.backend, status)
        }
        let text = SessionText.signedIn(
            session, named: isToken ? email : nil, others: now?.otherAccounts ?? [], elsewhere: now?.waitingForFormerAddress ?? 0,
            forgotten: SessionText.forgotten(session, before: report.session, backend: target.backend), pause: pause)
        context.answer(session, text)
        if claim {
            let report = try await context.client.call(Endpoints.claim, NoInput())
            if !context.asJSON { context.console.write(ClaimText.claimed(report, pause: pause)) }
        } else if let question {
            context.console.write(question)
        }
    }

    private var isToken: Bool { refreshTokenStdin || tokenStdin }

    /// The error names the right command for the backend.
    private func requirePassword(at report: BackendReport) throws(Problem) {
        guard !isToken, passwordSource == .terminal else { return }
        let token: String
        switch report.session.knownSignInMeans {
        case .refreshToken: token = "a refresh token"
        case .token: token = "a token that does not change (an API key)"
        case .password, .unknown: return
        }
        throw .invalid(
            "\(report.name) needs \(token) to sign in, not an email address and a password.",
            next: "To sign in with a token on standard input, run: \(SyncText.signInCommand(report))")
    }

    /// If another account is signed in, throws before asking for a secret.
    private func requireNobodyElse(than email: String?, at report: BackendReport) throws(Problem) {
        let session = report.session
        guard session.isSignedIn, let present = session.email else { return }
        func plain(_ name: String?) -> String? { name?.trimmingCharacters(in: .whitespaces).lowercased() }
        guard plain(email) != plain(present) else { return }
        let name = target.backend.map { " --backend \($0)" } ?? ""
        throw .alreadySignedIn(present, at: session.backend, logout: "homing logout\(name)")
    }

    private func request(at report: BackendReport, warn: (String) -> Void) throws -> SignIn {
        let terminal = TerminalPrompt()
        if isToken {
            try requireNobodyElse(than: email, at: report)
            let kind = refreshTokenStdin ? "refresh token" : "token"
            let token = try PasswordSource.standardInput.secret(kind, terminal: terminal, input: .standardInput, warn: warn)
            return SignIn(
                backend: target.backend, email: email, refreshToken: refreshTokenStdin ? token : nil, token: tokenStdin ? token : nil)
        }
        let email = try email ?? terminal.askForEmail()
        try requireNobodyElse(than: email, at: report)
        let password = try passwordSource.secret("password", terminal: terminal, input: .standardInput, warn: warn)
        return SignIn(backend: target.backend, email: email, password: password, remember: remember)
    }
}

extension TerminalPrompt? {
    func askForEmail() throws -> String {
        guard let prompt = self else {
            throw Problem.invalid(
                "There is no terminal to ask for the email address.",
                next: "Give it with --email, and the password with --password-file FILE.")
        }
        let answer = try prompt.ask("Email: ")?.trimmingCharacters(in: .whitespaces) ?? ""
        guard !answer.isEmpty else {
            throw Problem.invalid("No email address was given.", next: "Run the command again and type the address.")
        }
        return answer
    }
}
