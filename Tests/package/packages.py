"""The packages of two versions, and a station that gets Homing from a repository with them."""
import json
import os
import shutil
import subprocess

from station import CLEAN, PROJECT, Station, expect, until

# What systemd/package reads.
SOURCES = ["Makefile", "LICENSE", "README.md", "SECURITY.md", "config", "systemd", "Sources/SyncDaemon/Documentation.docc"]
NEWER = "+next"
# A default that the newer version changes, in a file that a station has not edited.
CHANGE = ("# Homing's configuration.", "# Homing's configuration, with a change of the newer version.")
APT = "DEBIAN_FRONTEND=noninteractive apt-get --yes -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold"
VERSIONS = {"old": "", "new": NEWER}


def build(programs, folder, is_debug_build=False, versions=VERSIONS):
    """Makes `folder`/old and `folder`/new, each with the packages, and the repository of a version."""
    tree = folder / "tree"
    for source in SOURCES:
        copy = shutil.copytree if (PROJECT / source).is_dir() else shutil.copy
        (tree / source).parent.mkdir(parents=True, exist_ok=True)
        copy(PROJECT / source, tree / source)
    environment = CLEAN | {"PATH": os.environ["PATH"], "HOME": str(folder), "BIN_DIR": str(programs), "SOURCE_DATE_EPOCH": "1790000000",
                           "MAINTAINER": "Package test <test@homing.invalid>", "DPKG_DEB_COMPRESSOR_LEVEL": "0"}
    if is_debug_build:
        environment |= {"SHARED_SWIFT": "yes", "BIN_DIR": str(stripped(programs, folder / "programs"))}
    for name, suffix in versions.items():
        if suffix:
            file = tree / "config/homing.yaml"
            file.write_text(file.read_text().replace(*CHANGE))
            shutil.copytree(folder / "old/throw-away-key", folder / "new/throw-away-key")
        steps = environment | {"DIST": str(folder / name), "VERSION_SUFFIX": suffix}
        for step in ("package", "repo"):
            subprocess.run([tree / "systemd" / step], check=True, env=steps, stdout=subprocess.DEVNULL)


def stripped(programs, folder):
    """A folder with the programs without symbols, which are most of a debug build: each version copies the programs several times."""
    folder.mkdir()
    for name in ("homingd", "homing", "homing-sandbox"):
        subprocess.run(["strip", "-o", folder / name, programs / name], check=True)
    return folder


class PackageStation(Station):
    """Homing is not installed at the first boot."""

    def __init__(self, cache, programs, packages, name="station"):
        self.packages = packages
        # How many were submitted or dropped.
        self.captures = 0
        super().__init__(cache, programs, name)

    def install(self):
        (self.root / "etc/apt/sources.list").unlink(missing_ok=True)
        self.write("/etc/apt/sources.list.d/homing.list", "deb [signed-by=/etc/homing.gpg] file:/srv/repo stable main\n")

    def boot(self):
        self.power_on()

    def publish(self, version):
        """What the repository of the station has, and the packages in /srv/VERSION."""
        shutil.rmtree(self.root / "srv/repo", ignore_errors=True)
        shutil.copytree(self.packages / version / "repo", self.root / "srv/repo")
        files = self.root / "srv" / version
        files.mkdir(exist_ok=True)
        for package in (self.packages / version).glob("*.deb"):
            shutil.copy(package, files)

    def apt(self, command, check=True):
        """What apt has said."""
        done = self.run(f"{APT} {command} 2>&1", check=check, seconds=180)
        return done.stdout

    def dpkg(self, version):
        """Installs a version from its file, as a downgrade."""
        install = f"DEBIAN_FRONTEND=noninteractive dpkg --force-confold --install /srv/{version}/homing_*.deb 2>&1"
        return self.run(install, check=False, seconds=180)

    def installed(self):
        return self.run("dpkg-query --show --showformat='${Version} ${db:Status-Status}' homing", check=False).stdout

    def is_active(self):
        return self.can(None, "systemctl --quiet is-active homingd.service")

    def submit(self, count):
        for number in range(1, count + 1):
            self.run(f"homing submit --again /srv/captures/capture-0{number}.json --user 5", "alice")
        self.captures += count

    def drop(self, *arguments, **options):
        super().drop(*arguments, **options)
        self.captures += 1

    def created(self):
        """Also those whose answers were lost."""
        lines = (self.root / "var/log/ledger").read_text().splitlines()
        return [entry["clientMutationID"] for entry in map(json.loads, lines) if entry.get("status") in (None, 201)]

    def expect_delivered(self, seconds=60):
        """All captures once: the backend made as many measurements, and no id twice."""
        count = self.captures
        self.run("homing sync --wait --timeout 60", "alice", seconds=90, check=False)
        until(f"{count} captures were delivered", lambda: self.delivered() == count, seconds)
        made = self.created()
        expect(len(made) == len(set(made)) == count, f"the backend created {made}")
