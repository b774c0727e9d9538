"""The real programs in a folder: sandbox, daemon and dashboard."""
import concurrent.futures, http.client, json, os, pathlib, signal, socket, subprocess, sys, time, traceback, urllib.parse, urllib.request

from playwright.sync_api import sync_playwright

PROJECT, PROGRAMS, STAGE = (pathlib.Path(os.environ[name]) for name in ("PROJECT", "PROGRAMS", "STAGE"))
PATIENCE = 60


def until(what, condition):
    """Waits until a condition holds."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"gave up after {PATIENCE} seconds of waiting for: {what}")


class Station:
    def __init__(self):
        self.processes = {}
        self.environment = {**os.environ, "HOMING_SOCKET": str(STAGE / "homing.sock"), "NO_COLOR": "1"}

    def begin(self):
        made = [PROGRAMS / "homing-sandbox", "captures", "--people", "9", "--seed", "7", STAGE / "captures"]
        subprocess.run(made, check=True, capture_output=True)
        self.start("sandbox", "homing-sandbox", "run", "--port-file", STAGE / "ports", "--managed-user", "6", "--fault",
                   "error:status=422,code=Arkit data is invalid,path=users/6/,method=POST")
        ports = until("the sandbox", lambda: (STAGE / "ports").exists() and (STAGE / "ports").read_text())
        self.backend, self.control = (line.split("=", 1)[1] for line in ports.split())
        profile = (PROJECT / "config/backends/breathesafe.yaml").read_text()
        moved = profile.replace("base_url: https://www.breathesafe.xyz", f"base_url: {self.backend}")
        (STAGE / "backends/breathesafe.yaml").write_text(moved)
        (STAGE / "homing.yaml").write_text("state_directory: state\nsocket: homing.sock\ndelivery: {first_delay: 0.1, first_pause: 0.1}\n")
        self.run_daemon()
        self.sign_in()

    def start(self, name, program, *arguments, **options):
        log = open(STAGE / f"{name}.log", "ab")
        command = [PROGRAMS / program, *map(str, arguments)]
        options = {"stdout": log, "stderr": log, **options}
        self.processes[name] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, **options)
        return self.processes[name]

    def run_daemon(self):
        self.start("homingd", "homingd", "run", "--config", STAGE / "homing.yaml")
        until("the daemon", lambda: self.homing("status", "--json", check=False).returncode != 3)

    def sign_in(self):
        self.homing("login", "--email", "manager@lab.test", "--password-stdin", input="Correct-horse-9")

    def kill_daemon(self):
        daemon = self.processes.pop("homingd")
        daemon.kill()
        daemon.wait()

    def freeze_daemon(self, is_frozen):
        self.processes["homingd"].send_signal(signal.SIGSTOP if is_frozen else signal.SIGCONT)

    def run_dashboard(self):
        process = self.start("dashboard", "homing", "dashboard", "--json", stdout=subprocess.PIPE)
        return json.loads(process.stdout.readline())["address"]

    def homing(self, *arguments, check=True, **options):
        command = [PROGRAMS / "homing", *map(str, arguments)]
        return subprocess.run(command, env=self.environment, check=check, capture_output=True, text=True, **options)

    def status(self):
        # The exit code says that something needs a person.
        return json.loads(self.homing("status", "--json", check=False).stdout)

    def failed(self):
        return '"id"' in self.homing("list", "--state", "failed", "--json").stdout

    def drop(self, name, content):
        """Moves a file of user 5 into the drop folder."""
        folder = STAGE / "state/spool/new/users/5"
        folder.mkdir(parents=True, exist_ok=True)
        (STAGE / name).write_text(content)
        (STAGE / name).rename(folder / name)

    def capture(self, number):
        return STAGE / f"captures/person-{number:03}-01.json"

    def submit(self, number, user=5):
        """Submits one of the captures; returns the entry's id."""
        return self.submitted("--again", self.capture(number), "--user", user)

    def submitted(self, *arguments):
        answer = json.loads(self.homing("submit", *arguments, "--json").stdout)
        return (answer[0] if isinstance(answer, list) else answer)["id"]

    def submit_many(self, count, rate=None):
        """Small captures, over up to 32 connections, so that the daemon stores many with one write to the disk; at most `rate` each second."""
        begin = time.monotonic()
        query = urllib.parse.urlencode({"route": "measurement", "item.user_id": "5"})

        def submit(numbers):
            connection = http.client.HTTPConnection("homing")
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.connect(self.environment["HOMING_SOCKET"])
            for number in numbers:
                if rate:
                    time.sleep(max(0, begin + number / rate - time.monotonic()))
                body = json.dumps({"average_measurements": {"1-2": {"value": number + 1, "description": "x"}}})
                connection.request("POST", f"/v1/entries?{query}", body, {"Content-Type": "application/json", "Host": "homing"})
                answer = connection.getresponse()
                said = answer.read()
                assert answer.status == 201, said
            connection.close()

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            list(pool.map(submit, [range(first, count, 32) for first in range(min(32, count))]))

    def sandbox(self, call, **body):
        data = json.dumps(body).encode() if body else b""
        urllib.request.urlopen(urllib.request.Request(f"{self.control}/{call}", data=data, method="POST")).read()

    def clear_faults(self):
        urllib.request.urlopen(urllib.request.Request(f"{self.control}/faults", method="DELETE")).read()

    def end(self):
        for process in reversed(self.processes.values()):
            process.terminate()
        for process in self.processes.values():
            process.wait()

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text(errors='replace')[-3000:]}" for path in sorted(STAGE.glob("*.log")))


def play_at_a_station(play):
    """Calls `play(station, browser)`. If that fails, prints the open pages and the logs, and exits with 1."""
    station = Station()
    try:
        station.begin()
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox", "--disable-gpu"])
            try:
                play(station, browser)
            except BaseException:
                for context in browser.contexts:
                    for page in context.pages:
                        print(f"== {page.url}\n{page.locator('body').inner_text()[:3000]}", file=sys.stderr)
                raise
    except BaseException:
        traceback.print_exc()
        print(station.logs(), file=sys.stderr)
        sys.exit(1)
    finally:
        station.end()
