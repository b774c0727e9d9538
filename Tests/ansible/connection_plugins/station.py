"""A connection of Ansible into a booted container on this machine, as root. `ansible_host` is the process id of its init."""
import subprocess

from ansible.errors import AnsibleError
from ansible.plugins.connection import ConnectionBase

DOCUMENTATION = """
    name: station
    short_description: enter the namespaces of a container
    description: Runs commands with nsenter.
    options: {}
"""


class Connection(ConnectionBase):
    transport = "station"
    has_pipelining = True

    def _connect(self):
        self._connected = True
        return self

    def _run(self, script, data=None):
        command = ["nsenter", "--target", self._play_context.remote_addr, "--all", "--wdns=/", "--", "env", "--ignore-environment",
                   "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8", "HOME=/root", "sh", "-c", script]
        done = subprocess.run(command, input=data or b"", capture_output=True)
        return done.returncode, done.stdout, done.stderr

    def exec_command(self, cmd, in_data=None, sudoable=True):
        super().exec_command(cmd, in_data=in_data, sudoable=sudoable)
        return self._run(cmd, in_data)

    def put_file(self, in_path, out_path):
        super().put_file(in_path, out_path)
        with open(in_path, "rb") as file:
            code, _, said = self._run(f"cat >'{out_path}'", file.read())
        if code:
            raise AnsibleError(f"cannot write {out_path}: {said.decode()}")

    def fetch_file(self, in_path, out_path):
        super().fetch_file(in_path, out_path)
        code, content, said = self._run(f"cat '{in_path}'")
        if code:
            raise AnsibleError(f"cannot read {in_path}: {said.decode()}")
        with open(out_path, "wb") as file:
            file.write(content)

    def close(self):
        self._connected = False
