extension Samples {
    /// A profile with a cookie session, a health route, and these routes and resources, as text in YAML.
    package static func cookieProfile(_ rest: String) -> String {
        """
        schema: 1
        name: breathesafe
        base_url: https://lab.test
        auth:
          scheme: cookie
          on_401: [login]
          login: {request: POST /login, json: {email: "{email}", password: "{password}"}, account: /id}
          logout: {request: DELETE /login}
        health: {request: GET /me, account: /id}

        """ + rest
    }
}
