"""A capture station: Debian 12 booted in systemd-nspawn, Homing installed as its service, several users, and the sandbox as its backend."""
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

PROJECT = pathlib.Path(__file__).resolve().parents[2]
PACKAGES = ["systemd", "systemd-sysv", "dbus", "acl", "libsqlite3-0", "libzstd1", "zlib1g", "ca-certificates", "python3", "procps"]
PEOPLE = {"alice": "homing-operate", "bob": "homing-operate", "olga": "homing-observe", "adam": "homing-administer", "nora": None}
STATE = "/var/lib/homing"
NEW = f"{STATE}/spool/new"
APP_FILE = "measurements_5_1765000001.json"
PASSWORD = "Correct-horse-9"
CLEAN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/"}


class Failure(Exception):
    """An expectation that does not hold."""


def expect(holds, message):
    if not holds:
        raise Failure(message)


def until(what, condition, seconds=30):
    """Waits for a condition, and returns its value; fails when the time is over."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise Failure(f"did not happen within {seconds} seconds: {what}")


def base_image(cache, packages):
    """The folder with the system that each station is a copy of; builds it where it is missing."""
    version = hashlib.sha256(" ".join(packages).encode()).hexdigest()[:12]
    image = cache / f"bookworm-{version}"
    if not image.exists():
        # A package list that has changed makes a new image.
        draft = cache / f".draft-{os.getpid()}"
        cache.mkdir(parents=True, exist_ok=True)
        print("Building the system image (a minute or two) ...", flush=True)
        command = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={','.join(packages)}", "bookworm", str(draft),
                   "http://deb.debian.org/debian"]
        subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
        draft.rename(image)
    return image


class Station:
    # The packages of the system.
    system = PACKAGES

    def __init__(self, cache, programs, name="station"):
        self.programs = programs
        self.name = f"{name}-{os.getpid()}"
        self.root = cache / self.name
        self.log = cache / f"{self.name}.log"
        self.nspawn = None
        subprocess.run(["cp", "-a", "--reflink=auto", str(base_image(cache, self.system)), str(self.root)], check=True)
        self.install()
        data = self.root / "srv/captures"
        data.mkdir()
        for file in (PROJECT / "Tests/Data/arkit").glob("*.json"):
            shutil.copy(file, data)
        shutil.copy(PROJECT / "Tests/Data/PendingMeasurements" / APP_FILE, data)
        (self.root / "etc/systemd/system/sandbox.service").write_text(
            "[Service]\nExecStart=/usr/bin/homing-sandbox run --port 8090 --control-port 8091 --ledger-file /var/log/ledger\n")

    def install(self):
        """Installs Homing before the first boot."""
        install = ["make", "--no-print-directory", "-C", str(PROJECT), "install", f"BIN_DIR={self.programs}", f"DESTDIR={self.root}"]
        subprocess.run(install, check=True, stdout=subprocess.DEVNULL, env=CLEAN | {"PATH": os.environ["PATH"]})
        self.use_sandbox()

    def use_sandbox(self):
        profile = self.root / "etc/homing/backends/breathesafe.yaml"
        profile.write_text(re.sub(r"(?m)^base_url:.*", "base_url: http://127.0.0.1:8090", profile.read_text()))

    # The machine

    def boot(self):
        self.power_on()
        self.run("systemd-sysusers homing.conf && systemd-tmpfiles --create homing.conf")
        self.add_people()
        self.run("systemctl daemon-reload && systemctl enable --quiet --now sandbox.service homingd.socket homingd.service 2>&1")

    def add_people(self):
        for name, group in PEOPLE.items():
            self.run(f"useradd --create-home {f'--groups {group}' if group else ''} {name}")

    def power_on(self):
        command = ["systemd-nspawn", "--quiet", "--boot", "--register=no", "--keep-unit", "--private-network", "--console=read-only",
                   f"--directory={self.root}", f"--machine={self.name}"]
        command += [f"--bind-ro={folder}" for folder in self.swift_libraries()]
        with open(self.log, "ab") as log:
            self.nspawn = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

        def is_up():
            expect(self.nspawn.poll() is None, f"systemd-nspawn exited; see {self.log}")
            return self.leader() and "running" in self.run("systemctl is-system-running", check=False).stdout
        until("the station has booted", is_up, 60)

    def reboot(self):
        self.run("systemctl reboot", check=False)
        # So it asks whoever keeps the unit to start it again (systemd.service(5), exit code 133).
        expect(self.nspawn.wait(60) == 133, f"systemd-nspawn exited with {self.nspawn.returncode} at the reboot")
        self.power_on()

    def remove(self):
        if self.nspawn and self.nspawn.poll() is None:
            if leader := self.leader():
                os.kill(leader, signal.SIGKILL)
            try:
                self.nspawn.wait(20)
            except subprocess.TimeoutExpired:
                self.nspawn.kill()
                self.nspawn.wait()
        shutil.rmtree(self.root)
        self.log.unlink(missing_ok=True)

    def leader(self):
        """The process that is the station's PID 1."""
        for child in children(self.nspawn.pid):
            if is_elsewhere(child):
                return child
        return None

    def swift_libraries(self):
        """Folders with libraries that a debug build needs and Debian does not have."""
        said = subprocess.run(["ldd", f"{self.programs}/homingd"], capture_output=True, text=True).stdout
        return {os.path.dirname(path) for path in re.findall(r"=> (/\S+)", said) if not path.startswith(("/lib", "/usr/lib"))}

    # Commands in it

    def run(self, script, user=None, check=True, input=None, seconds=60):
        """Runs a shell script in the station, as root or as `user` with that user's groups."""
        command = ["nsenter", "--target", str(self.leader()), "--all", "--wdns=/", "--"]
        if user:
            command += ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups", "--no-new-privs", "--"]
        done = subprocess.run(command + ["sh", "-c", script], input=input or "", capture_output=True, text=True, timeout=seconds, env=CLEAN)
        if check and done.returncode != 0:
            raise Failure(f"{user or 'root'}: {script[:200]}: exit {done.returncode}: {done.stdout[-600:]}{done.stderr[-600:]}")
        return done

    def can(self, user, script):
        return self.run(script, user, check=False).returncode == 0

    def start(self, script, user):
        """Starts a script and returns the process, which ends the script when it is terminated."""
        # nsenter passes no signal on.
        command = ["nsenter", "--target", str(self.leader()), "--all", "--wdns=/", "--", "setpriv", f"--reuid={user}", f"--regid={user}",
                   "--init-groups", "--pdeathsig=TERM", "--", "sh", "-c", script]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=CLEAN)

    def write(self, path, text, mode=0o644):
        target = self.root / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        target.chmod(mode)

    def journal(self):
        return self.run("journalctl --no-pager --quiet --unit homingd --lines 15 --output cat", check=False).stdout

    # Homing

    def stop(self):
        self.run("systemctl stop homingd.socket homingd.service")

    def start_service(self):
        self.run("systemctl reset-failed homingd.service homingd.socket; systemctl start homingd.socket homingd.service")

    def reset(self):
        """A station as on its first day, with alice signed in."""
        self.run("systemctl unmask --quiet --runtime homingd.service; systemctl stop homingd.socket homingd.service; systemctl start sandbox.service;"
                 " rm -rf /etc/systemd/system/homingd.service.d /run/systemd/system/homingd.service.d /var/lib/homing /var/lib/homing.*"
                 " /etc/credstore.encrypted;"
                 " chmod 0644 /etc/homing/*.yaml /etc/homing/backends/*.yaml; systemctl daemon-reload")
        self.start_service()
        self.sign_in()

    def sign_in(self, user="alice"):
        self.run("homing login --remember --email manager@lab.test --password-stdin", user, input=PASSWORD)

    def drop(self, user, name, folder=f"{NEW}/users/5", umask="077"):
        source = APP_FILE if name == APP_FILE else "capture-01.json"
        self.run(f"umask {umask}; mkdir -p {folder} && cp /srv/captures/{source} {folder}/.{name} && mv {folder}/.{name} {folder}/{name}", user)

    def waiting(self, name="*.json"):
        """The files in the drop folder that were not taken yet."""
        return self.run(f"find {NEW} -type f -name '{name}' ! -name '.*'", check=False).stdout.split()

    def delivered(self):
        """How many entries the daemon has a receipt for."""
        return len(self.run("homing receipts --csv").stdout.splitlines()) - 1

    def created(self):
        """The ids of the measurements that the backend made, one for each time it made one."""
        lines = (self.root / "var/log/ledger").read_text().splitlines()
        return [entry["clientMutationID"] for entry in map(json.loads, lines) if entry.get("status") == 201]

    def daemon(self):
        return int(self.run("systemctl show --value --property MainPID homingd.service").stdout)

    def drop_in(self, text):
        self.write("/etc/systemd/system/homingd.service.d/test.conf", f"[Service]\n{text}\n")
        self.run("systemctl daemon-reload")


def children(pid):
    try:
        return [int(child) for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def is_elsewhere(pid):
    """Whether a process is in another PID namespace than this one."""
    try:
        return os.readlink(f"/proc/{pid}/ns/pid") != os.readlink("/proc/self/ns/pid")
    except OSError:
        return False
