import Sandbox
import Testing

@Suite struct FaultSettingsTests {
    @Test(arguments: FaultName.allCases)
    func everyFaultRoundTripsThroughJSON(_ name: FaultName) throws {
        let fault = try Fault(argument: name.rawValue)
        #expect(try Fault(json: fault.json) == fault)
    }

    @Test func settingsAreReadFromAnArgument() throws {
        let fault = try Fault(argument: "503:retry-after=5,retry-after-form=date,path=fit_tests,method=post,user=2,count=3")
        #expect(fault.name == .unavailable)
        #expect(fault.retryAfter == 5)
        #expect(fault.retryAfterForm == .date)
        #expect(fault.path == "fit_tests")
        #expect(fault.method == "POST")
        #expect(fault.user == 2)
        #expect(fault.count == 3)
        #expect(try Fault(json: fault.json) == fault)
    }

    @Test func parsesSlowCommitDuration() throws {
        let fault = try Fault(argument: "slow-commit:milliseconds=250,path=arkit,count=2")
        #expect(fault == .slowCommit(milliseconds: 250, path: "arkit", count: 2))
    }

    @Test func parsesErrorCode() throws {
        let fault = try Fault(argument: "error:status=403,code=PERMISSION_DENIED,path=token,count=1")
        #expect(fault == .error(403, code: "PERMISSION_DENIED", path: "token", count: 1))
        #expect(try Fault(json: fault.json) == fault)
    }

    @Test(arguments: [
        ("sloow", "there is no fault 'sloow': expected one of down, refuse"),
        ("slow:milliseconds", "'milliseconds' is not a setting: expected key=value"),
        ("slow:milliseconds=-1", "milliseconds=-1: expected a whole number of at least 0"),
        ("cut:count=0", "count=0: expected a whole number of at least 1"),
        ("cut:retry-after=1", "cut has no setting 'retry-after': expected one of count, method, path, user"),
        ("down:count=1", "down has no setting 'count': it has no settings"),
        ("401:retry-after=1", "401 has no setting 'retry-after': expected one of count, method, path, user"),
        ("slow-commit:milliseconds=soon", "milliseconds=soon: expected a whole number of at least 0"),
        ("error:status=200", "status=200: expected an error status from 400 to 599"),
        ("429:retry-after-form=soon", "retry-after-form=soon: expected seconds or date"),
        ("expire-sessions:remember-tokens=1", "remember-tokens=1: expected true or false"),
    ])
    func mistakeNamesExpectedValue(_ argument: String, _ message: String) {
        let problem = #expect(throws: FaultProblem.self) { try Fault(argument: argument) }
        #expect(problem?.description.hasPrefix(message) == true)
    }
}
