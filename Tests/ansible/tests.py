"""The role on two stations. Each test starts from where the one before ended."""
import re

from fleet import NAMES, PROXY, SECRET, USERS
from station import expect, until

# Of the documentation of age. Its owner is not needed here.
RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"


def expect_success(code, said):
    expect(code == 0, f"ansible-playbook exits with {code}: {said[-1500:]}")


def check_mode_before_the_first_run_changes_nothing(fleet):
    code, changes, said = fleet.play("--check")
    expect_success(code, said)
    expect(all(changes.get(name) for name in NAMES), f"nothing would change: {changes}")
    for station in fleet.stations:
        expect(not station.can(None, "test -e /usr/bin/homingd || test -e /etc/homing || test -e /etc/apt/sources.list.d/homing.list"),
               "check mode changed the station")


def first_run_installs_configures_and_starts(fleet):
    code, _, said = fleet.play()
    expect_success(code, said)
    for station in fleet.stations:
        expect(station.is_active() and station.can(None, "systemctl --quiet is-enabled homingd.service"), "the service is not running")
        expect("in_flight: 3" in (station.drop_in() or ""), f"the configuration is {station.drop_in()}")
        expect(f"proxy: {PROXY}\n" in station.drop_in(), "the value of Ansible Vault was not decrypted")
        mode = station.run("stat --format '%a %U %G' /etc/homing/homing.yaml.d/50-ansible.yaml").stdout.strip()
        expect(mode == "640 root homing", f"the configuration has {mode}")
        station.run("homingd check")
        for user, role in USERS.items():
            expect(f"homing-{role}" in station.run(f"id --name --groups {user}").stdout.split(), f"{user} has no role")
        expect(station.can("olga", "homing list --json"), "olga cannot see the entries")


def metric_has_the_state_of_the_station(fleet):
    for station in fleet.stations:
        station.run("systemctl start homing-metric.service")
        said = station.run("cat /var/lib/prometheus/node-exporter/homing.prom").stdout
        code = station.run("homing check", check=False).returncode
        expect(f"homing_check_state {code}\n" in said, f"homing check exits with {code}, and the metric is {said}")


def second_run_changes_nothing(fleet):
    before = [(station.reloads(), station.daemon()) for station in fleet.stations]
    code, changes, said = fleet.play()
    expect_success(code, said)
    expect(changes == {name: 0 for name in NAMES}, f"changed: {changes}\n{said[-1500:]}")
    expect(before == [(station.reloads(), station.daemon()) for station in fleet.stations], "the daemon was reloaded or restarted")


def check_mode_reports_a_change_and_makes_none(fleet):
    before = [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations]
    code, changes, said = fleet.play("--check", homing_configuration={"delivery": {"in_flight": 2}})
    expect_success(code, said)
    expect(all(changes.get(name) for name in NAMES), f"nothing would change: {changes}")
    expect(before == [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations], "check mode made a change")


def changed_value_leads_to_one_reload(fleet):
    fleet.variables["homing_configuration"]["delivery"]["in_flight"] = 2
    before = [(station.reloads(), station.daemon()) for station in fleet.stations]
    code, _, said = fleet.play()
    expect_success(code, said)
    for station, (reloads, daemon) in zip(fleet.stations, before):
        until("the journal has the reload", lambda: station.reloads() > reloads)
        expect(station.reloads() == reloads + 1 and station.daemon() == daemon, f"{station.reloads() - reloads} reloads")
        expect("in_flight: 2" in station.drop_in(), f"the configuration is {station.drop_in()}")


def wrong_value_is_refused_before_anything_changes(fleet):
    before = [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations]
    wrong = fleet.variables["homing_configuration"] | {"delivery": {"attempts": 99}}
    code, changes, said = fleet.play(homing_configuration=wrong)
    expect(code == 2, f"ansible-playbook exits with {code}: {said[-1500:]}")
    expect(changes == {name: 0 for name in NAMES}, f"changed: {changes}")
    expect("attempts" in said and "50-ansible.yaml" in said, f"the output does not name the mistake: {said[-1500:]}")
    expect(before == [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations], "something changed")
    for station in fleet.stations:
        expect(not station.can(None, "ls -d /run/homing-ansible.*"), "the copy of the configuration is left")


def later_failure_leaves_the_new_configuration_loaded(fleet):
    """The stations have no repository with the NRPE agent, so that step fails."""
    fleet.variables["homing_configuration"]["delivery"]["in_flight"] = 4
    before = [(station.reloads(), station.daemon()) for station in fleet.stations]
    code, _, said = fleet.play(homing_monitoring="nrpe")
    expect(code == 2 and "nagios-nrpe-server" in said, f"ansible-playbook exits with {code}: {said[-1500:]}")
    for station, (reloads, daemon) in zip(fleet.stations, before):
        expect("in_flight: 4" in station.drop_in(), f"the configuration is {station.drop_in()}")
        until("the journal has the reload", lambda: station.reloads() > reloads)
        expect(station.reloads() == reloads + 1 and station.daemon() == daemon, f"{station.reloads() - reloads} reloads")


def misspelled_user_is_refused_before_anything_changes(fleet):
    before = [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations]
    changed = fleet.variables["homing_configuration"] | {"delivery": {"in_flight": 3}}
    code, changes, said = fleet.play(homing_users=[{"name": "alcie", "role": "operate"}], homing_configuration=changed)
    expect(code == 2 and "alcie" in said, f"ansible-playbook exits with {code}: {said[-1500:]}")
    expect(changes == {name: 0 for name in NAMES}, f"changed: {changes}")
    expect(before == [(station.drop_in(), station.reloads(), station.daemon()) for station in fleet.stations], "something changed")
    expect(not any(station.can(None, "getent passwd alcie") for station in fleet.stations), "the user was created")


def escrow_copy_is_encrypted(fleet):
    if not fleet.stations[0].can(None, "homingd key export --help"):
        print("        left out: this homingd has no ‘key export’", flush=True)
        return
    folder = fleet.folder / "keys"
    folder.mkdir()
    escrow = {"homing_escrow_recipients": [RECIPIENT], "homing_escrow_folder": str(folder)}
    code, _, said = fleet.play(**escrow)
    expect_success(code, said)
    for name, station in zip(NAMES, fleet.stations):
        content = escrow_file(folder, name, station).read_bytes()
        expect(content.startswith((b"age-encryption.org/v1", b"-----BEGIN AGE ENCRYPTED FILE-----")), "the copy is not a file of age")
        expect((station.root / "var/lib/homing/homing.key").read_bytes().strip() not in content, "the copy has the key itself")
        expect(not station.can(None, "ls -d /run/homing-ansible.*"), "the copy is left on the station")
    code, changes, said = fleet.play(**escrow)
    expect_success(code, said)
    expect(changes == {name: 0 for name in NAMES}, f"changed: {changes}")
    old = {file.name: file.read_bytes() for file in folder.iterdir()}
    fleet.stations[0].run("homingd key rotate")
    code, changes, said = fleet.play(**escrow)
    expect_success(code, said)
    expect(changes == {NAMES[0]: 1, NAMES[1]: 0}, f"changed: {changes}")
    new = {file.name: file.read_bytes() for file in folder.iterdir()}
    expect(set(new) - set(old) == {escrow_file(folder, NAMES[0], fleet.stations[0]).name}, f"the folder has {sorted(new)}")
    expect(old.items() <= new.items(), "the copy of the earlier key was changed")


def escrow_file(folder, name, station):
    """The copy of the present key."""
    said = station.run("homingd key show").stdout
    fingerprint = re.search(r"[0-9a-f]{4}(-[0-9a-f]{4}){3}", said)
    expect(fingerprint, f"homingd key show prints no fingerprint: {said}")
    return folder / f"{name}.{fingerprint[0]}.key.age"


def escrow_without_a_folder_is_refused(fleet):
    code, changes, said = fleet.play(homing_escrow_recipients=[RECIPIENT])
    expect(code == 2 and "homing_escrow_folder" in said, f"ansible-playbook exits with {code}: {said[-1500:]}")
    expect(changes == {name: 0 for name in NAMES}, f"changed: {changes}")


def output_has_no_secret(fleet):
    """With --diff and -vv. The control is the same without hiding."""
    expect(SECRET not in fleet.output, "the output of Ansible has the password of the proxy")
    fleet.variables["homing_configuration"]["delivery"]["in_flight"] = 1
    _, _, said = fleet.play("--check", homing_hide_configuration=False)
    expect(SECRET in said, "the control failed: the password is not in the differences either")


ALL = [
    check_mode_before_the_first_run_changes_nothing,
    first_run_installs_configures_and_starts,
    metric_has_the_state_of_the_station,
    second_run_changes_nothing,
    check_mode_reports_a_change_and_makes_none,
    changed_value_leads_to_one_reload,
    wrong_value_is_refused_before_anything_changes,
    later_failure_leaves_the_new_configuration_loaded,
    misspelled_user_is_refused_before_anything_changes,
    escrow_copy_is_encrypted,
    escrow_without_a_folder_is_refused,
    output_has_no_secret,
]
