"""The life of a station with the Debian packages. Each test starts from where the one before ended."""
from packages import NEWER
from station import NEW, PASSWORD, STATE, expect, until

CONFIGURATION = "/etc/homing/homing.yaml"
PROFILE = "/etc/homing/backends/breathesafe.yaml"
PRINTED = "Next, see whether"


# The installation

def apt_refuses_the_repository_without_its_key(station):
    station.publish("old")
    said = station.run("apt-get update 2>&1", check=False).stdout
    expect("not signed" in said or "NO_PUBKEY" in said, f"apt-get update says: {said}")
    expect("Unable to locate" in station.apt("install homing", check=False), "apt found the package")


def apt_installs_both_packages_from_the_signed_repository(station):
    station.run("cp /srv/repo/homing.gpg /etc/homing.gpg")
    station.apt("update")
    said = station.apt("install homing homing-sandbox")
    expect(PRINTED in said and "systemctl enable --now homingd" in said, f"the installation does not say what to do next: {said}")
    expect(station.installed().endswith(" installed") and NEWER not in station.installed(), station.installed())


def installation_starts_and_enables_nothing(station):
    running = station.run("pgrep --list-full homing", check=False).stdout
    expect(not running, f"after the installation, these run: {running}")
    for unit in ("homingd.service", "homingd.socket"):
        expect(not station.can(None, f"systemctl --quiet is-enabled {unit}"), f"{unit} is enabled")


def installation_brings_users_folders_pages_and_completions(station):
    for name in ("homing", "homing-observe", "homing-operate", "homing-administer"):
        station.run(f"getent group {name}")
    mode = station.run(f"stat --format '%a %U %G' {NEW}").stdout.strip()
    expect(mode == "3770 homing homing-operate", f"{NEW} has {mode}")
    paths = ["man/man1/homing.1.gz", "man/man1/homing-status.1.gz", "man/man1/homing-sandbox.1.gz", "man/man5/homing.yaml.5.gz",
             "man/man5/homing-profile.5.gz", "man/man8/homingd.8.gz", "bash-completion/completions/homing", "zsh/vendor-completions/_homing",
             "fish/vendor_completions.d/homing.fish", "applications/homing.desktop", "doc/homing/backends/lists.yaml", "doc/homing/copyright"]
    station.run("; ".join(f"test -s /usr/share/{path} || {{ echo {path} is missing; exit 1; }}" for path in paths))
    station.run("test -s /etc/apparmor.d/usr.bin.homingd && homingd check")
    mode = station.run("stat --format '%a %U' /etc/homing/homing.yaml.d").stdout.strip()
    expect(mode == "755 root", f"/etc/homing/homing.yaml.d has {mode}")


def configured_station_signs_in_and_delivers(station):
    station.use_sandbox()
    station.add_people()
    station.run("systemctl daemon-reload; systemctl start sandbox.service; homingd check; systemctl enable --quiet --now homingd 2>&1")
    station.sign_in()
    station.drop("alice", "one.json")
    until("the file was taken", lambda: not station.waiting())
    station.submit(1)
    station.expect_delivered()


# Upgrades

def upgrade_delivers_a_backlog_in_flight_once(station):
    """The backend takes requests and does not answer, so that entries are in flight when the daemon restarts."""
    sandbox(station, "POST", "faults", '{"fault": "never-answer-after-commit", "path": "measurements"}')
    station.submit(6)
    until("an entry is in flight", lambda: '"inflight"' in station.run("homing list --json").stdout)
    daemon = station.daemon()
    station.publish("new")
    station.apt("update")
    station.apt("install homing")
    expect(station.installed().endswith(f"{NEWER} installed"), station.installed())
    expect(station.is_active() and station.daemon() != daemon, "the daemon was not restarted")
    sandbox(station, "DELETE", "faults")
    station.expect_delivered(120)


def upgrade_keeps_an_edited_conffile_and_renews_the_others(station):
    expect(station.can(None, f"grep -q '^base_url: http://127.0.0.1:8090' {PROFILE}"), "the edited profile is gone")
    expect(station.can(None, f"grep -q 'change of the newer version' {CONFIGURATION}"), "the unedited configuration is the old one")


def upgrade_with_a_broken_configuration_leaves_the_daemon_running_and_says_so(station):
    daemon = station.daemon()
    station.run(f"cp {CONFIGURATION} /srv/kept.yaml; echo 'no_such_key: 1' >> {CONFIGURATION}")
    try:
        said = station.apt("install --reinstall homing")
        expect("was not restarted" in said and "no_such_key" in said, f"the upgrade says: {said}")
        expect(station.daemon() == daemon, "the daemon was restarted")
        until("the journal has it", lambda: "was not restarted" in station.run("journalctl --identifier homing --output cat").stdout)
    finally:
        station.run(f"cp /srv/kept.yaml {CONFIGURATION}")
    station.apt("install --reinstall homing")
    expect(station.is_active() and station.daemon() != daemon, "after the correction, the daemon was not restarted")


def upgrade_without_the_store_leaves_the_daemon_running_and_advises_no_restart(station):
    daemon = station.daemon()
    # On the same file system, so that the daemon recognizes its files when they are back.
    station.run(f"mkdir /var/lib/aside && mv {STATE}/outbox.sqlite* /var/lib/aside")
    try:
        said = station.apt("install --reinstall homing")
        expect("Do not stop or restart the daemon" in said and "sudo homing backup FILE" in said, f"the upgrade says: {said}")
        expect("systemctl restart homingd" not in said, f"the upgrade advises a restart: {said}")
        expect(station.daemon() == daemon, "the daemon was restarted")
    finally:
        station.run(f"mv /var/lib/aside/* {STATE}/ && rmdir /var/lib/aside")
    until("the store is back", lambda: "store-gone" not in station.run("homing status --json", check=False).stdout)


def upgrade_does_not_start_a_service_that_was_stopped(station):
    station.stop()
    station.apt("install --reinstall homing")
    expect(not station.is_active(), "the daemon runs")
    station.start_service()


# Downgrades

def downgrade_with_a_store_that_both_read_delivers(station):
    sandbox(station, "POST", "down")
    station.submit(2)
    done = station.dpkg("old")
    expect(done.returncode == 0, f"dpkg exits with {done.returncode}: {done.stdout}")
    expect(NEWER not in station.installed(), station.installed())
    sandbox(station, "POST", "up")
    station.expect_delivered()
    station.apt("install homing")


def downgrade_is_refused_when_the_store_is_newer(station):
    """A step that only a newer version would have added to the store."""
    daemon = station.daemon()
    store(station, "INSERT INTO grdb_migrations VALUES ('of a newer version')")
    try:
        done = station.dpkg("old")
        expect(done.returncode != 0, "dpkg installs a version that cannot read the store")
        expect("cannot read them" in done.stdout and f"{NEWER} again" in done.stdout, f"dpkg says: {done.stdout}")
        expect(station.daemon() == daemon, "the daemon was restarted")
    finally:
        store(station, "DELETE FROM grdb_migrations WHERE identifier = 'of a newer version'")
        station.apt("--fix-broken install homing")
    expect(station.installed().endswith(f"{NEWER} installed"), station.installed())
    expect(station.is_active() and station.can("alice", "homing status"), "the daemon does not run after the return")


# Removal

def removal_stops_the_service_and_keeps_captures_and_configuration(station):
    sandbox(station, "POST", "down")
    station.submit(2)
    station.apt("remove homing")
    expect(not station.run("pgrep homingd", check=False).stdout, "the daemon runs")
    expect(not station.can(None, "command -v homing"), "the program is there")
    station.run(f"test -s {STATE}/outbox.sqlite && test -s {STATE}/homing.key && test -s {CONFIGURATION} && test -s {PROFILE}")


def reinstallation_starts_the_enabled_service_again_with_its_backlog(station):
    station.apt("install homing")
    try:
        expect(station.is_active(), "the daemon does not run")
    finally:
        station.start_service()
    sandbox(station, "POST", "up")
    station.expect_delivered()


def reboot_starts_the_service_with_its_backlog(station):
    sandbox(station, "POST", "down")
    station.submit(2)
    station.reboot()
    until("the daemon runs", station.is_active)
    # The reboot has ended the sandbox and its sessions.
    station.run("systemctl start sandbox.service")
    station.sign_in()
    station.expect_delivered()


def purge_keeps_captures_and_says_where(station):
    sandbox(station, "POST", "down")
    station.submit(1)
    said = station.apt("purge homing")
    expect(f"kept the captures, the key and the sessions in {STATE}" in said, f"the purge says: {said}")
    station.run(f"test -s {STATE}/outbox.sqlite && test -s {STATE}/homing.key && ! test -e {CONFIGURATION}")
    station.run("! systemctl is-enabled homingd.service 2>&1 && ! ls /etc/systemd/system/*.wants/homingd.*")


def installation_after_a_purge_delivers_the_kept_captures(station):
    said = station.apt("install homing")
    expect(PRINTED in said, f"the installation does not say what to do next: {said}")
    expect(not station.is_active(), "the daemon runs before it was configured")
    station.use_sandbox()
    sandbox(station, "POST", "up")
    station.run("systemctl enable --quiet --now homingd 2>&1")
    station.expect_delivered()


def purge_destroys_captures_only_when_told(station):
    station.run("echo 'homing homing/purge-captures boolean true' | debconf-set-selections")
    said = station.apt("purge homing")
    expect("destroyed the captures" in said, f"the purge says: {said}")
    station.run(f"! test -e {STATE}")


def enrolment_sets_up_a_new_station_and_a_repetition_changes_nothing(station):
    station.apt("install homing")
    station.run("useradd carol")
    station.write("/srv/password", PASSWORD + "\n", 0o600)
    station.write("/srv/station.yaml", ENROLMENT, 0o600)
    shown = station.run("homingd enroll --dry-run /srv/station.yaml").stdout
    expect("would change: enabled homingd.service" in shown and not station.is_active(), f"the dry run says: {shown}")
    said = station.run("homingd enroll /srv/station.yaml", seconds=120).stdout
    expect("changed: signed in manager@lab.test at breathesafe" in said, f"the enrolment says: {said}")
    expect(station.is_active() and not station.can(None, "test -e /srv/password"), "the daemon does not run, or the password stays")
    expect(station.can(None, "id --name --groups carol | grep -qw homing-operate"), "carol is not in her group")
    expect(station.can("carol", "homing status"), "carol may not see the status")
    said = station.run("homingd enroll /srv/station.yaml").stdout
    expect(said == "nothing to change\n", f"the repetition says: {said}")
    station.run("echo 'homing homing/purge-captures boolean true' | debconf-set-selections")
    station.apt("purge homing")
    station.run(f"! test -e {STATE} && ! test -e /etc/homing")


def purge_without_captures_leaves_nothing(station):
    """The folders of an installation that never ran."""
    station.apt("install homing")
    station.run("echo 'delivery: {in_flight: 2}' > /etc/homing/homing.yaml.d/50-site.yaml && homingd check")
    said = station.apt("purge homing homing-sandbox")
    expect("kept the captures" not in said, f"the purge says: {said}")
    left = station.run(f"ls -d {STATE} /etc/homing /usr/share/doc/homing /usr/bin/homing* /etc/apparmor.d/local/*homing* 2>/dev/null", check=False).stdout
    expect(not left, f"these stay: {left}")


def sandbox(station, method, path, body=""):
    """Calls the control port of the sandbox. A sandbox that is down keeps its sessions, one that is stopped does not."""
    station.write("/srv/call.py", CALL)
    station.run(f"python3 /srv/call.py {method} {path} '{body}'")


CALL = """
import sys, urllib.request
method, path, body = sys.argv[1:]
urllib.request.urlopen(urllib.request.Request("http://127.0.0.1:8091/" + path, body.encode() or None, method=method))
"""


def store(station, statement):
    """Changes the store beside the running daemon, as SQLite allows."""
    station.run(f"python3 -c 'import sqlite3, sys; store = sqlite3.connect(\"{STATE}/outbox.sqlite\"); store.execute(sys.argv[1]); store.commit()'"
                f" \"{statement}\"")


ENROLMENT = """\
backends:
  breathesafe:
    base_url: http://127.0.0.1:8090
    email: manager@lab.test
    password_file: /srv/password
    remember: true
groups:
  operate: [carol]
settings:
  delivery: {in_flight: 2}
"""

ALL = [
    apt_refuses_the_repository_without_its_key,
    apt_installs_both_packages_from_the_signed_repository,
    installation_starts_and_enables_nothing,
    installation_brings_users_folders_pages_and_completions,
    configured_station_signs_in_and_delivers,
    upgrade_delivers_a_backlog_in_flight_once,
    upgrade_keeps_an_edited_conffile_and_renews_the_others,
    upgrade_with_a_broken_configuration_leaves_the_daemon_running_and_says_so,
    upgrade_without_the_store_leaves_the_daemon_running_and_advises_no_restart,
    upgrade_does_not_start_a_service_that_was_stopped,
    downgrade_with_a_store_that_both_read_delivers,
    downgrade_is_refused_when_the_store_is_newer,
    removal_stops_the_service_and_keeps_captures_and_configuration,
    reinstallation_starts_the_enabled_service_again_with_its_backlog,
    reboot_starts_the_service_with_its_backlog,
    purge_keeps_captures_and_says_where,
    installation_after_a_purge_delivers_the_kept_captures,
    purge_destroys_captures_only_when_told,
    enrolment_sets_up_a_new_station_and_a_repetition_changes_nothing,
    purge_without_captures_leaves_nothing,
]

# For the packages of a debug build, in about three minutes. Each needs only those before it in this list.
SHORT = [
    apt_refuses_the_repository_without_its_key,
    apt_installs_both_packages_from_the_signed_repository,
    installation_starts_and_enables_nothing,
    installation_brings_users_folders_pages_and_completions,
    configured_station_signs_in_and_delivers,
    upgrade_delivers_a_backlog_in_flight_once,
    upgrade_keeps_an_edited_conffile_and_renews_the_others,
    upgrade_with_a_broken_configuration_leaves_the_daemon_running_and_says_so,
    removal_stops_the_service_and_keeps_captures_and_configuration,
    reinstallation_starts_the_enabled_service_again_with_its_backlog,
]
