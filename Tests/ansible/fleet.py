"""Two stations without Homing, and the controller that configures them."""
import json
import os
import pathlib
import re
import subprocess

from packages import PackageStation
from station import CLEAN, PACKAGES, PROJECT

NAMES = ["one", "two"]
USERS = {"alice": "operate", "olga": "observe", "adam": "administer"}
SECRET = "Canary-7c1f"
PROXY = f"http://clinic:{SECRET}@127.0.0.1:3128"
ROLE = PROJECT / "config/ansible"


class AnsibleStation(PackageStation):
    """Has what Ansible needs on a station: python3, and python3-apt, which ansible.builtin.apt would otherwise install from Debian."""
    system = PACKAGES + ["python3-apt"]

    def install(self):
        (self.root / "etc/apt/sources.list").unlink(missing_ok=True)

    def reloads(self):
        return int(self.run("journalctl --unit homingd.service --output cat | grep --count '^Reloaded '", check=False).stdout)

    def drop_in(self):
        file = self.root / "etc/homing/homing.yaml.d/50-ansible.yaml"
        return file.read_text() if file.exists() else None


class Fleet:
    def __init__(self, folder):
        self.folder = folder
        self.stations = []
        # What Ansible has printed in all runs.
        self.output = ""
        self.vault_password = folder / "vault-password"
        self.vault_password.write_text("Station-vault-4\n")
        profile = (PROJECT / "config/backends/breathesafe.yaml").read_text()
        self.variables = {
            "homing_apt_url": "file:/srv/repo",
            "homing_apt_key": str(folder / "old/repo/homing.gpg"),
            "homing_users": [{"name": name, "role": role} for name, role in USERS.items()],
            "homing_configuration": {"proxy": self.vaulted(PROXY), "delivery": {"in_flight": 3}},
            "homing_profiles": [
                {"name": "breathesafe", "content": re.sub(r"(?m)^base_url:.*", "base_url: http://127.0.0.1:8090", profile)}],
            "homing_monitoring": "textfile",
        }

    def vaulted(self, text):
        """The text as an inline value of Ansible Vault, in the JSON form of `!vault`."""
        command = ["ansible-vault", "encrypt", "--vault-password-file", str(self.vault_password), "--output", "-"]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=CLEAN | {"HOME": str(self.folder)})
        return {"__ansible_vault": done.stdout}

    def boot(self, cache, programs):
        for name in NAMES:
            station = AnsibleStation(cache, programs, self.folder, name)
            self.stations.append(station)
            station.boot()
            station.publish("old")
            for user in USERS:
                station.run(f"useradd --create-home {user}")

    def remove(self):
        for station in self.stations:
            station.remove()

    def journal(self):
        return "".join(f"-- {station.name}\n{station.journal()}" for station in self.stations)

    def play(self, *options, **variables):
        """Runs the example playbook with the variables, and returns the exit status, the changes of each station, and the output."""
        hosts = {name: {"ansible_connection": "station", "ansible_host": str(station.leader()), "ansible_become": False}
                 for name, station in zip(NAMES, self.stations)}
        inventory = self.folder / "inventory.json"
        inventory.write_text(json.dumps({"stations": {"hosts": hosts, "vars": self.variables | variables}}))
        environment = CLEAN | {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "ANSIBLE_NOCOLOR": "1", "ANSIBLE_ROLES_PATH": str(ROLE / "roles"),
            "ANSIBLE_VAULT_PASSWORD_FILE": str(self.vault_password), "PYTHONDONTWRITEBYTECODE": "1",
            "ANSIBLE_CONNECTION_PLUGINS": str(pathlib.Path(__file__).resolve().parent / "connection_plugins")}
        command = ["ansible-playbook", "--diff", "-vv", "--inventory", str(inventory), *options, str(ROLE / "site.yml")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment, cwd=self.folder)
        said = done.stdout + done.stderr
        self.output += said
        changes = {name: int(count) for name, count in re.findall(r"(?m)^(\w+) +: ok=\d+ +changed=(\d+)", said)}
        return done.returncode, changes, said
