"""What must hold on a station with several users. Each test starts from Station.reset: the service runs, and alice has signed in."""
import json
import os
import pathlib
import re
import time

from station import APP_FILE, NEW, PASSWORD, PEOPLE, STATE, expect, until

MiB = 1 << 20


# The service and its confinement

def service_delivers_under_its_confinement(station):
    station.drop("alice", "one.json")
    until("the file was taken", lambda: not station.waiting())
    station.run("homing sync --wait --timeout 20", "alice")
    expect(station.delivered() == 1, f"delivered {station.delivered()}, expected 1")
    confinement = station.run(f"grep -E '^(Seccomp|NoNewPrivs|CapBnd|CapEff):' /proc/{station.daemon()}/status").stdout
    lease = f"{1 << 28:016x}"
    expected = {"Seccomp": "2", "NoNewPrivs": "1", "CapBnd": lease, "CapEff": lease}
    found = dict(line.split(":\t") for line in confinement.splitlines())
    expect(found == expected, f"{found}, expected {expected}")


def unit_refuses_system_calls_and_places_it_does_not_need(station):
    """Runs a probe under the daemon's unit; the control is the same probe under no unit."""
    station.write("/srv/probe.py", PROBE)
    unit = (station.root / "usr/lib/systemd/system/homingd.service").read_text()
    kept = [line for line in unit.splitlines() if not line.startswith(("Exec", "Requires=", "After=", "Restart", "Type=", "Watchdog", "Notify"))]
    kept.insert(kept.index("[Service]") + 1, "Type=oneshot\nExecStart=/usr/bin/python3 /srv/probe.py")
    station.write("/etc/systemd/system/probe.service", "\n".join(kept))
    station.run("systemctl daemon-reload; systemctl start probe.service", check=False)
    said = station.run("journalctl --unit probe.service --output cat | grep '^{' | tail -n 1").stdout
    confined, free = json.loads(said), json.loads(station.run("python3 /srv/probe.py").stdout)
    missing = {name for name in free if name in confined and confined[name]}
    expect(not missing, f"the unit allows: {', '.join(sorted(missing))}")
    refused = {name for name, passes in free.items() if not passes}
    expect(not refused, f"the control failed: the probe was refused without the unit: {', '.join(sorted(refused))}")


PROBE = """
import ctypes, json, mmap, os, socket
libc = ctypes.CDLL(None, use_errno=True)
def passes(attempt):
    try:
        attempt()
        return True
    except OSError:
        return False
def call(number, *arguments):
    ctypes.set_errno(0)
    # A wrong argument is found by the kernel alone: then the call passed the filter.
    if libc.syscall(number, *arguments) < 0 and ctypes.get_errno() in (1, 38): raise OSError
def write(path):
    with open(path, 'w'): pass
    os.unlink(path)
print(json.dumps({
    'io_uring_setup': passes(lambda: call(425, 0, None)),
    'add_key': passes(lambda: call(248, None, None, None, 0, 0)),
    'memory that is writable and executable': passes(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE | mmap.PROT_EXEC)),
    'writing to /tmp': passes(lambda: write('/tmp/probe')),
    'writing to /var/tmp': passes(lambda: write('/var/tmp/probe')),
    'writing to /dev/shm': passes(lambda: write('/dev/shm/probe')),
    'a raw packet socket': passes(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
}))
"""


def state_files_are_the_daemons_alone(station):
    station.run("homing submit --again /srv/captures/capture-01.json --user 5", "alice")
    open_to_others = station.run(f"find {STATE} -path {STATE}/spool -prune -o -type f -perm /077 -print").stdout
    expect(not open_to_others, f"other users can access {open_to_others}")
    for file in ["homing.key", "outbox.sqlite"]:
        hold_to({}, station, f"{STATE}/{file}", lambda: expect(False, f"{file} is gone"))


# Attacks by an operator

def swapped_user_folder_does_not_reach_the_state_directory(station):
    """An operator replaces the folder of a surveyed file by a link to the state directory, while the daemon takes the files before it."""
    key = station.run(f"stat --format %i {STATE}/homing.key").stdout
    for attempt in range(2):
        station.stop()
        station.run(f"rm -rf {NEW}/users/9 {NEW}/users/.nine {NEW}/old-*")
        attack = station.start(f"exec python3 -c '{SWAP}' {NEW} {STATE}", "alice")
        began = attack.stdout.readline()
        expect(began == "ready\n", f"the attack did not start: {began}")
        station.start_service()
        said = attack.communicate(timeout=60)[0]
        expect("swapped" in said, f"the attack itself failed: {said}")
        until("the old files were taken", lambda: not station.waiting("old-*"), 60)
        # Ends the look at the drop folder first.
        station.stop()
        now = station.run(f"stat --format %i {STATE}/homing.key", check=False).stdout
        expect(now == key, f"attempt {attempt + 1}: homing.key was moved away through the link")


SWAP = """
import json, os, sys, time
new, state = sys.argv[1:]
capture = json.load(open("/srv/captures/capture-01.json"))
def drop(path, at):
    with open(path, "w") as file: json.dump(capture | {"timestamp": at}, file)
    os.utime(path, (at, at))
for number in range(100): drop(f"{new}/old-{number:03}.json", 1600000000 + number)
os.mkdir(f"{new}/users/9")
drop(f"{new}/users/9/homing.key", 1700000000)
print("ready", flush=True)
end = time.monotonic() + 30
while os.path.exists(f"{new}/old-000.json"):
    if time.monotonic() > end: sys.exit("no file was taken")
os.rename(f"{new}/users/9", f"{new}/users/.nine")
os.symlink(state, f"{new}/users/9")
print("swapped")
"""


# Who may do what to whose files: the tables of SECURITY.md

ACTIONS = {
    "read": "cat {0}",
    "overwrite": "echo >> {0}",
    "rename": "mv --no-target-directory {0} {0}.moved && mv --no-target-directory {0}.moved {0}",
    "delete": "rm {0} </dev/null",
}


def hold_to(table, station, path, prepare):
    """Tries every action of every person on a file, and compares with the table: person to what is allowed."""
    wrong = []
    for person in PEOPLE:
        for action, script in ACTIONS.items():
            if not station.can(None, f"test -e {path}"):
                prepare()
            allowed = action in table.get(person, "").split()
            if station.can(person, script.format(path)) != allowed:
                wrong.append(f"{person} {'cannot' if allowed else 'can'} {action} {path}")
    expect(not wrong, "; ".join(wrong))


def waiting_files_belong_to_the_operator_who_dropped_them(station):
    station.stop()
    for folder in (NEW, f"{NEW}/users/7"):
        for umask in ("000", "022", "077"):
            station.run(f"rm -rf {NEW}/users/7 {NEW}/*.json")
            hold_to({"alice": "read overwrite rename delete"}, station, f"{folder}/hers.json",
                    lambda: station.drop("alice", "hers.json", folder, umask))
    may_drop = [user for user in PEOPLE if station.can(user, f"touch {NEW}/.{user} && rm {NEW}/.{user}")]
    expect(may_drop == ["alice", "bob"], f"{may_drop} may drop files")
    expect(not station.can("bob", f"touch {NEW}/users/7/.his"), "bob can drop into alice's folder")
    station.run(f"setfacl -m default:group::rwx {NEW}")
    station.drop("alice", "open.json", NEW, "000")
    expect(station.can("bob", f"cat {NEW}/open.json"), "the control failed: bob cannot read it in spite of a default ACL for the group")


def shared_user_folder_protects_its_files_too(station):
    """The command that SECURITY.md gives for a folder into which several operators drop."""
    station.stop()
    station.run(f"install -d -o homing -g homing-operate -m 3770 {NEW}/users/8 && setfacl -m group::rwx {NEW}/users/8")
    hold_to({"alice": "read overwrite rename delete"}, station, f"{NEW}/users/8/hers.json",
            lambda: station.drop("alice", "hers.json", f"{NEW}/users/8", "000"))
    station.drop("bob", "his.json", f"{NEW}/users/8")
    station.start_service()
    until("the files of both were taken", lambda: not station.waiting())


def files_of_every_operator_are_taken_whatever_their_umask(station):
    for user in ("alice", "bob"):
        for umask in ("000", "027", "077"):
            station.drop(user, f"{user}-{umask}.json", f"{NEW}/users/{5 if user == 'alice' else 6}", umask)
    until("all were taken", lambda: not station.waiting())
    refused = station.run(f"ls {STATE}/spool/refused").stdout
    expect(not refused, f"refused: {refused}")


def refused_files_are_for_their_owner_and_administrators(station):
    refused = f"{STATE}/spool/refused"

    def refuse():
        station.run(f"rm -f {refused}/*")
        station.start_service()
        station.run(f"echo none | tee {NEW}/hers.json", "alice")
        until("the file was refused", lambda: station.can(None, f"test -e {refused}/hers.json -a ! -e {NEW}/hers.json"))
        station.stop()

    refuse()
    hold_to({"alice": "read overwrite", "adam": "read rename delete"}, station, f"{refused}/hers.json", refuse)
    reasons = {"alice": "read", "bob": "read", "adam": "read overwrite rename delete"}
    hold_to(reasons, station, f"{refused}/hers.json.reason", refuse)
    may_list = [user for user in PEOPLE if station.can(user, f"ls {refused}")]
    expect(may_list == ["alice", "bob", "adam"], f"{may_list} may list the refused files")


def files_that_were_taken_are_the_daemons_alone(station):
    station.run("homing logout --yes", "alice")
    station.drop("alice", "hers.json")
    unclaimed = f"{STATE}/spool/unclaimed"
    name = until("the file was set aside", lambda: station.run(f"ls {unclaimed}").stdout.strip())
    station.stop()
    taken = f"{STATE}/spool/taken/hers.json"
    station.run(f"install -o homing -g homing -m 0600 /srv/captures/capture-01.json {taken}")
    for file in (f"{unclaimed}/{name}", taken):
        hold_to({}, station, file, lambda: expect(False, "the file is gone"))
    for folder in ("taken", "unclaimed", "owners"):
        for user in PEOPLE:
            expect(not station.can(user, f"ls {STATE}/spool/{folder}"), f"{user} can list {folder}")
            expect(not station.can(user, f"touch {STATE}/spool/{folder}/x"), f"{user} can write to {folder}")


def roles_allow_what_the_table_says(station):
    station.stop()
    station.start_service()
    station.run("systemctl stop sandbox.service; homing submit --again /srv/captures/capture-01.json --user 5")
    entry = json.loads(station.run("homing list --json").stdout)
    name = (entry["entries"] if isinstance(entry, dict) else entry)[0]["id"]
    everyone = {"status": "homing status", "list": "homing list", "events": "homing events", "receipts": "homing receipts",
                "stats": "homing stats", "audit": "homing audit",
                "show": "homing show {0}", "why": "homing why {0}"}
    operators = {"submit": "homing submit --again /srv/captures/capture-02.json --user 5", "pause": "homing pause --for 1h --reason test && homing resume",
                 "resume": "homing resume", "retry": "homing retry {0}", "sync": "homing sync", "claim": "homing claim --yes",
                 "login": "homing login --email manager@lab.test --password-stdin"}
    table = [(everyone, ["alice", "bob", "olga", "adam"]), (operators, ["alice", "bob", "adam"]),
             ({"discard": "homing discard {0} --yes", "backup": "homing backup --force /tmp/backup-$(id -u)"}, ["adam"]), ({"logout": "homing logout --yes"}, ["alice", "bob", "adam"])]
    # Nothing is paused or set aside, no entry needs a retry, the second user has no session to end, and the backend is out of reach.
    may_fail = ["resume", "retry", "sync", "claim", "login", "logout"]
    wrong = []
    for commands, allowed in table:
        for command, script in commands.items():
            for user in PEOPLE:
                code = station.run(script.format(name), user, check=False, input=PASSWORD).returncode
                # 4: not permitted. 6: done, and there is something to attend to.
                fits = code == 4 if user not in allowed else code in (0, 6) or code != 4 and command in may_fail
                if not fits:
                    wrong.append(f"{user}: homing {command} exits with {code}")
    expect(not wrong, "; ".join(wrong))


def doctor_examines_the_station_for_administrators(station):
    def states(user):
        said = station.run("homing doctor --json", user, check=False).stdout
        return {finding["check"]: finding["state"] for finding in json.loads(said)}

    station.stop()
    station.start_service()
    asked = ["role", "configuration", "files", "key", "space"]
    found = states("adam")
    expect(all(found.get(check) == "ok" for check in asked), f"adam: homing doctor finds {found}")
    for user in ("alice", "olga"):
        found = states(user)
        expect(found.get("role") == "note" and "key" not in found, f"{user}: homing doctor finds {found}")
        expect(found.get("daemon") == "ok", f"{user}: homing doctor finds {found}")
    expect(states("nora")["daemon"] == "problem", "nora: homing doctor reads the status")
    station.run(f"chmod 3750 {NEW}")
    expect(states("adam").get("files") == "problem", "homing doctor does not find the mode of the drop folder")
    station.run(f"chmod 3770 {NEW}")
    report = station.run("homing bugreport --output -", "adam").stdout
    expect("breathesafe" not in report and '"maxBytes"' in report, f"homing bugreport says {report}")


# What stops the drop folder, and who sees it

def stopped_drop_folder_is_seen_by_monitoring(station):
    expect(station.can("olga", "homing check"), "homing check fails at a healthy station")
    taken = f"{STATE}/spool/taken"
    station.run(f"chown root:homing {taken} && chmod 0550 {taken}")
    station.drop("alice", "one.json")
    until("homing check fails", lambda: station.run("homing check", "olga", check=False).returncode in (1, 2))
    said = station.run("homing status", "alice", check=False).stdout
    expect(f"write permission on {taken}" in said, f"homing status does not name {taken}: {said}")
    expect(station.waiting(), "the file is gone")
    station.run(f"chown homing:homing {taken} && chmod 0700 {taken}")
    until("the file was taken", lambda: not station.waiting(), 120)
    until("homing check passes", lambda: station.can("olga", "homing check"), 120)


def file_that_the_daemon_may_not_read_stays_with_a_hint(station):
    """One made in the folder as by mkstemp(3), whose mode limits the ACL; and one moved there, which has no ACL."""
    file = f"{NEW}/private.json"
    makings = [f"umask 077; cat /srv/captures/capture-01.json > {NEW}/.private && chmod 0600 {NEW}/.private && mv {NEW}/.private {file}",
               f"umask 077; cp /srv/captures/capture-02.json /var/tmp/private.json && mv /var/tmp/private.json {file}"]
    for making, hint in zip(makings, ("chmod 640", "setfacl -m u:")):
        station.run(making, "alice")
        said = until("homing status reports the file", lambda: said_of(station, "private.json"))
        command = re.search(hint + r"[^']*'[^']*'", said)
        expect(command, f"homing status does not suggest {hint}: {said}")
        expect(station.waiting(), "the file is gone")
        station.run(command[0], "alice")
        until("the file was taken", lambda: not station.waiting(), 120)


def said_of(station, word):
    said = station.run("homing status", "alice", check=False).stdout
    return said if word in said else None


def user_without_a_role_shuts_nobody_out(station):
    """Holds as many idle connections as it can get, and connects without end, while others use the socket."""
    attacks = [station.start(f"exec timeout 60 python3 -c '{FLOOD}'", "nora") for _ in range(2)]
    for attack in attacks:
        began = attack.stdout.readline()
        expect(began == "ready\n", f"the attack did not start: {began}")
    failed = []
    for user in ("alice", "olga", "adam") * 5:
        done = station.run("homing status", user, check=False)
        if done.returncode not in (0, 6):
            failed.append(f"{user}: {done.returncode}: {done.stderr}")
    for attack in attacks:
        # Reading its output before it has ended would wait for its end.
        expect(attack.poll() is None, "the attack ended by itself")
        attack.terminate()
        attack.wait(20)
    until("the attack has ended", lambda: not station.can("root", "pgrep -u nora"))
    expect(not failed, f"{len(failed)} of 15 calls failed: {failed[:2]}")


FLOOD = """
import socket, time
idle = []
def connect():
    caller = socket.socket(socket.AF_UNIX)
    caller.settimeout(1)
    caller.connect("/run/homing/homing.sock")
    return caller
for _ in range(64):
    try: idle.append(connect())
    except OSError: pass
print("ready", flush=True)
while True:
    try: connect().close()
    except OSError: time.sleep(0.001)
"""


# Ordinary administration

def operator_can_drop_and_is_protected(station, who):
    station.drop("alice", APP_FILE, NEW)
    protected = not station.can("bob", f"cat {NEW}/{APP_FILE}")
    expect(protected, f"after {who}, bob can read alice's file")


def drop_folder_is_repaired_when_the_state_directory_was_moved_away(station):
    def move_away():
        station.stop()
        station.run(f"rm -rf {STATE}.old; mv {STATE} {STATE}.old")
        station.start_service()
        station.stop()

    move_away()
    operator_can_drop_and_is_protected(station, "a move")
    station.drop_in("ExecStartPre=")
    move_away()
    expect(not station.can("alice", f"touch {NEW}/x"), "the control failed: alice can drop files without the repair")


def drop_folder_is_repaired_after_a_restore_as_root(station):
    def restore():
        station.stop()
        station.run(f"rm -rf {STATE}.backup; cp -r {STATE} {STATE}.backup; rm -rf {STATE}; cp -r {STATE}.backup {STATE}")
        station.start_service()

    station.run("systemctl stop sandbox.service; homing submit --again /srv/captures/capture-01.json --user 5", "alice", check=False)
    station.run("systemctl stop sandbox.service")
    restore()
    station.stop()
    operator_can_drop_and_is_protected(station, "a restore")
    station.run("systemctl start sandbox.service")
    station.start_service()
    until("all was taken", lambda: not station.waiting())
    station.run("homing sync --wait --timeout 30", "alice")
    station.drop_in("ExecStartPre=")
    restore()
    expect(not station.can("alice", f"touch {NEW}/x"), "the control failed: alice can drop files without the repair")


def drop_folder_is_repaired_after_chmod_and_chown(station):
    for damage in (f"chmod 0700 {NEW}", f"chown -R root:root {STATE}/spool", f"setfacl --remove-all --remove-default {NEW}",
                   f"setfacl -m group::--- {NEW}"):
        station.stop()
        station.run(damage)
        station.start_service()
        station.stop()
        station.run(f"rm -f {NEW}/*.json")
        operator_can_drop_and_is_protected(station, damage)


def check_finds_what_shuts_operators_out(station):
    def check(script="homingd check --as-service"):
        done = station.run(script, check=False)
        return done.returncode, done.stdout + done.stderr

    code, said = check()
    expect(code == 0, f"homingd check fails at a healthy station: {said}")
    users = f"{NEW}/users"
    key = f"{STATE}/homing.key"
    profile = "/etc/homing/backends/breathesafe.yaml"
    faults = [  # damage, repair, what it must say
        (f"chmod 0700 {STATE}", f"chmod 0711 {STATE}", f"{STATE}"),
        (f"chmod 3700 {NEW}", f"chmod 3770 {NEW}", f"{NEW}"),
        (f"chmod 3750 {NEW}", f"chmod 3770 {NEW}", f"{NEW}"),
        (f"chgrp homing {users}", f"chgrp homing-operate {users}", users),
        (f"chmod 0770 {NEW}", f"chmod 3770 {NEW}", "sticky"),
        (f"setfacl --remove-default {NEW}", "systemd-tmpfiles --create homing.conf", "default ACL"),
        (f"setfacl -m default:group::r-x {users}", "systemd-tmpfiles --create homing.conf", "default ACL"),
        (f"setfacl -m group:homing-operate:--- {NEW}", f"setfacl -x group:homing-operate {NEW}", None),
        (f"chown root:root {key}", f"chown homing:homing {key}", key),
        (f"chmod 0600 {profile}", f"chmod 0644 {profile}", profile),
        ("touch /etc/homing/ca.pem; chmod 0600 /etc/homing/ca.pem; echo 'ca_file: /etc/homing/ca.pem' >> /etc/homing/homing.yaml",
         "sed -i '/^ca_file/d' /etc/homing/homing.yaml; rm /etc/homing/ca.pem", "/etc/homing/ca.pem"),
    ]
    wrong = []
    for damage, repair, word in faults:
        station.run(damage)
        for script in ("homingd check --as-service", "homingd check"):
            code, said = check(script)
            # The owning group's own entry still lets operators in: an entry that grants is enough.
            if word is None and code != 0 or word is not None and (code == 0 or word not in said):
                wrong.append(f"after ‘{damage}’, ‘{script}’ exits with {code}: {said}")
        station.run(repair)
    expect(not wrong, "\n".join(wrong))
    code, said = check()
    expect(code == 0, f"homingd check fails after all repairs: {said}")


# Ends and beginnings

def killed_daemon_comes_back_and_delivers_its_backlog_once(station):
    before = len(station.created())
    station.run("systemctl stop sandbox.service")
    for number in range(1, 6):
        station.run(f"homing submit --again /srv/captures/capture-0{number}.json --user 5", "alice")
    daemon = station.daemon()
    station.run(f"kill -KILL {daemon}")
    until("a new daemon runs", lambda: station.daemon() not in (0, daemon))
    station.run("systemctl start sandbox.service")
    station.run("homing sync --wait --timeout 40", "alice")
    expect(station.delivered() == 5, f"delivered {station.delivered()}, expected 5")
    made = station.created()[before:]
    expect(len(made) == len(set(made)) == 5, f"the backend created {made}")


def backlog_survives_a_reboot(station):
    station.run("systemctl stop sandbox.service")
    for number in range(1, 4):
        station.run(f"homing submit --again /srv/captures/capture-0{number}.json --user 5", "alice")
    station.reboot()
    station.drop("alice", "later.json")
    station.run("systemctl start sandbox.service")
    until("all was taken", lambda: not station.waiting())
    station.run("homing sync --wait --timeout 40", "alice")
    expect(station.delivered() == 4, f"delivered {station.delivered()}, expected 4")


def lost_state_directory_is_restored_from_a_backup(station):
    """With the commands of the administrators' page. All entries of the backup were delivered after it."""
    before = len(station.created())
    station.run("systemctl stop sandbox.service")
    for number in range(1, 4):
        station.run(f"homing submit --again /srv/captures/capture-0{number}.json --user 5", "alice")
    station.run("homing backup --force /root/homing.backup")
    file = station.run("stat --format '%a %U' /root/homing.backup").stdout
    expect(file == "600 root\n", f"the backup has {file}")
    station.run("systemctl start sandbox.service")
    station.run("homing sync --wait --timeout 40", "alice")
    refused = station.run("homingd restore /root/homing.backup", check=False)
    expect(refused.returncode == 1 and "sudo systemctl stop homingd.socket homingd.service" in refused.stderr, refused.stderr)
    station.stop()
    station.run(f"cp {STATE}/homing.key /root/; rm -rf {STATE}; systemd-tmpfiles --create homing.conf;"
                f" install -o homing -g homing -m 0600 /root/homing.key {STATE}/homing.key")
    said = station.run("homingd restore /root/homing.backup").stdout
    expect("3 entries: looked up at the server" in said, said)
    store = station.run(f"stat --format '%a %U' {STATE}/outbox.sqlite").stdout
    expect(store == "600 homing\n", f"the restored store has {store}")
    station.start_service()
    expect(station.delivered() == 0, f"{station.delivered()} entries were delivered before a person resumed sending")
    station.run("homing resume", "alice")
    station.run("homing sync --wait --timeout 60", "alice", seconds=90)
    expect(station.delivered() == 3, f"delivered {station.delivered()}, expected 3")
    made = station.created()[before:]
    expect(len(made) == len(set(made)) == 3, f"the backend created {made}")


def changes_of_the_key_name_root(station):
    """A change of a running station, and one of a stopped station, whose files stay the daemon's."""
    station.run("homingd key rotate")
    station.stop()
    station.run("homingd key rotate")
    for name in ("homing.key", "homing.keyring", "outbox.sqlite"):
        file = station.run(f"stat --format '%a %U' {STATE}/{name}").stdout
        expect(file == "600 homing\n", f"{name} has {file}")
    station.start_service()
    page = json.loads(station.run("homing audit --kind key --json").stdout)
    records = page["records"] if isinstance(page, dict) else page
    users = [record.get("uid") for record in records if record["event"] == "keyChanged"]
    expect(users == [0, 0], f"the changes of the key name {users}")


def key_bound_to_this_computer_is_used_and_changed(station):
    """The steps of the page for administrators, with a key of the installation in place of a TPM."""
    encrypt = "systemd-creds encrypt --with-key=host --name=homing.key {} /etc/credstore.encrypted/homing.key && systemctl restart homingd"
    submit = "homing submit --again /srv/captures/capture-01.json --user 5 && homing sync --wait --timeout 20"
    station.drop_in("LoadCredentialEncrypted=homing.key")
    station.run("mkdir -p -m 0700 /etc/credstore.encrypted && " + encrypt.format(f"{STATE}/homing.key"))
    before = station.run("homingd key show").stdout
    expect("/run/credentials/homingd.service/homing.key" in before, f"homingd key show says: {before}")
    station.run(f"rm {STATE}/homing.key && systemctl restart homingd")
    station.run(submit, "alice")
    # Homing cannot write a credential.
    refused = station.run("homingd key rotate", check=False)
    expect(refused.returncode == 1 and "--new-key" in refused.stderr, f"homingd key rotate says: {refused.stdout}{refused.stderr}")
    station.run("umask 077; head -c 32 /dev/urandom | base64 >/root/homing.key.new && homingd key rotate --new-key /root/homing.key.new")
    station.run("systemctl restart homingd && rm -f /etc/credstore.encrypted/homing.key && " + encrypt.format("/root/homing.key.new"))
    station.run(submit, "alice")
    expect(station.delivered() == 2, f"delivered {station.delivered()}, expected 2")
    after = station.run("homingd key show").stdout
    expect(after.splitlines()[0] != before.splitlines()[0], f"homingd key show says: {after}")
    station.run("homingd key export /root/copy --unencrypted && cmp /root/copy /root/homing.key.new")
    station.stop()
    # Only the running service has its credential.
    stopped = station.run("homingd key rotate", check=False)
    expect(stopped.returncode == 1 and "systemctl start" in stopped.stderr, f"homingd key rotate says: {stopped.stdout}{stopped.stderr}")
    expect(not station.can(None, f"ls {STATE}/homing.key"), "there is a key in the state directory")
    station.run("rm /root/homing.key.new /root/copy")


def stopped_service_stays_down_and_starts_again(station):
    station.stop()
    began = time.monotonic()
    done = station.run("homing status", "alice", check=False)
    expect(done.returncode == 3, f"homing status exits with {done.returncode}, expected 3: {done.stderr}")
    expect(time.monotonic() - began < 10, "homing status took longer than 10 seconds")
    expect(station.daemon() == 0, "the daemon is running")
    station.start_service()
    expect(station.can("alice", "homing status"), "homing status fails after the start")


def call_to_the_socket_starts_the_service(station):
    station.run("systemctl stop homingd.service 2>&1")
    expect(station.daemon() == 0, "the daemon is running")
    expect(station.can("alice", "homing status"), "homing status fails")
    expect(station.daemon() != 0, "the daemon is not running")


def status_answers_while_the_unit_is_masked(station):
    station.run("systemctl stop homingd.service 2>&1; systemctl mask --quiet --runtime homingd.service")
    answers_soon(station, "the unit is masked")


def status_answers_while_the_service_crash_loops(station):
    station.stop()
    station.drop_in("ExecStart=\nExecStart=/bin/false")
    station.run("systemctl start homingd.socket; systemctl start homingd.service", check=False)
    answers_soon(station, "the service crash-loops")


def answers_soon(station, when):
    for user in ("alice", None):
        began = time.monotonic()
        done = station.run("timeout 20 homing status", user, check=False)
        took = time.monotonic() - began
        expect(took < 10, f"while {when}, homing status took {took:.1f} seconds (exit {done.returncode})")
        expect(done.returncode == 3, f"while {when}, homing status exits with {done.returncode}, expected 3: {done.stderr}")


# Resources

def four_large_submissions_leave_a_small_daemon_alive(station):
    """Four documents of 31 MiB of small numbers at the same time, in 256 MiB of memory."""
    station.drop_in("MemoryMax=256M")
    station.run("systemctl restart homingd.service")
    capture = json.loads((station.root / "srv/captures/capture-01.json").read_text())
    capture["noise"] = []
    text = json.dumps(capture, separators=(",", ":"))
    station.write("/srv/large.json", text.replace('"noise":[]', '"noise":[' + "1," * ((31 * MiB - len(text)) // 2 - 1) + "1]"))
    with memory_limit(station, 256 * MiB):
        daemon = station.daemon()
        submissions = [station.start("timeout 100 homing submit --again /srv/large.json --user 5", "alice") for _ in range(4)]
        said = [submission.communicate(timeout=120)[0] for submission in submissions]
        expect(station.daemon() == daemon, f"the daemon was killed: {said}")
        expect(station.can("alice", "homing status --json"), "homing status fails")
        expect(any(submission.returncode == 0 for submission in submissions), f"no submission was accepted: {said}")


class memory_limit:
    """The limit by a cgroup of version 1 where the station's systemd has no memory controller to set it with."""

    def __init__(self, station, limit):
        self.folder = pathlib.Path(f"/sys/fs/cgroup/memory/station-{os.getpid()}")
        self.station = station
        self.limit = limit
        self.is_needed = not station.can(None, "grep -qw memory /sys/fs/cgroup/cgroup.controllers")

    def __enter__(self):
        if not self.is_needed:
            return
        expect(self.folder.parent.is_dir(), "this machine has no memory controller")
        self.folder.mkdir()
        (self.folder / "memory.limit_in_bytes").write_text(str(self.limit))
        number = str(self.station.daemon())
        namespace = os.readlink(f"/proc/{self.station.leader()}/ns/pid")
        for status in pathlib.Path("/proc").glob("[0-9]*/status"):
            try:
                numbers = next(line for line in status.read_text().splitlines() if line.startswith("NSpid:")).split()
                if numbers[-1] == number and os.readlink(status.parent / "ns/pid") == namespace:
                    (self.folder / "cgroup.procs").write_text(status.parent.name)
            except (OSError, StopIteration):
                continue
        expect((self.folder / "cgroup.procs").read_text().strip(), "the daemon is not in its cgroup")

    def __exit__(self, *_):
        if self.is_needed and self.folder.is_dir():
            self.station.stop()
            self.folder.rmdir()


ALL = [
    service_delivers_under_its_confinement,
    unit_refuses_system_calls_and_places_it_does_not_need,
    state_files_are_the_daemons_alone,
    swapped_user_folder_does_not_reach_the_state_directory,
    waiting_files_belong_to_the_operator_who_dropped_them,
    shared_user_folder_protects_its_files_too,
    files_of_every_operator_are_taken_whatever_their_umask,
    refused_files_are_for_their_owner_and_administrators,
    files_that_were_taken_are_the_daemons_alone,
    roles_allow_what_the_table_says,
    doctor_examines_the_station_for_administrators,
    stopped_drop_folder_is_seen_by_monitoring,
    file_that_the_daemon_may_not_read_stays_with_a_hint,
    user_without_a_role_shuts_nobody_out,
    drop_folder_is_repaired_when_the_state_directory_was_moved_away,
    drop_folder_is_repaired_after_a_restore_as_root,
    drop_folder_is_repaired_after_chmod_and_chown,
    check_finds_what_shuts_operators_out,
    killed_daemon_comes_back_and_delivers_its_backlog_once,
    backlog_survives_a_reboot,
    lost_state_directory_is_restored_from_a_backup,
    changes_of_the_key_name_root,
    key_bound_to_this_computer_is_used_and_changed,
    stopped_service_stays_down_and_starts_again,
    call_to_the_socket_starts_the_service,
    status_answers_while_the_unit_is_masked,
    status_answers_while_the_service_crash_loops,
    four_large_submissions_leave_a_small_daemon_alive,
]
