"""A manager, and some attackers, at the page of ‘homing dashboard’."""
import html, http.client, http.server, json, os, re, socket, threading, urllib.parse

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from station import PATIENCE, play_at_a_station, until

expect.set_options(timeout=PATIENCE * 1000)
SCREENS = os.environ.get("SCREENS")
ENTRIES = int(os.environ.get("ENTRIES", 5000))
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
HOSTILE = "\"><img src=x onerror=alert(1)>'\u0301"
TALL = "Zalgo" + "\u0301" * 60


class Stage:
    """The browser at one dashboard."""

    def __init__(self, station, browser):
        self.station, self.browser = station, browser
        self.address = station.run_dashboard()
        self.origin, self.place = self.address.split("/?")[0].rsplit("/", 1)
        self.root = f"{self.origin}/{self.place}"
        self.context, self.complaints = browser.new_context(), []
        self.page = self.watched(self.context)

    def watched(self, context):
        page = context.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.on("dialog", lambda dialog: (self.complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("console", self.heard)
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        return page

    def heard(self, message):
        # A refusal, and the break in the events while the daemon restarts, are meant.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text and "net::ERR" not in message.text:
            self.complaints.append(f"{message.type}: {message.text}")

    def go(self, path=""):
        self.page.goto(f"{self.root}/{path}")
        return self.page

    def raw(self, method="GET", path="", host=None, body=None, **fields):
        """A request without a browser."""
        parts = urllib.parse.urlsplit(self.origin)
        connection = http.client.HTTPConnection(parts.hostname, parts.port)
        headers = {"Host": host or parts.netloc, **{name.replace("_", "-"): value for name, value in fields.items()}}
        connection.request(method, f"/{self.place}/{path}", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def picture(self, name, page=None):
        if SCREENS:
            (page or self.page).screenshot(path=f"{SCREENS}/{name}.png", full_page=True)


def opens_with_a_token(stage):
    stage.page.goto(stage.address)
    stage.page.wait_for_url(f"{stage.root}/")
    expect(stage.page.locator(".sentence").first).not_to_be_empty()
    sentence = stage.station.homing("status", check=False).stdout.splitlines()[0]
    expect(stage.page.locator(".sentence").first).to_have_text(sentence)
    cookie = next(cookie for cookie in stage.context.cookies() if cookie["name"] == "homing")
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict" and cookie["path"] == f"/{stage.place}/", cookie
    assert stage.page.evaluate("document.cookie") == ""
    weight = sum(len(stage.raw(path=path, Cookie=f"homing={cookie['value']}")[1]) for path in ("", "style.css", "page.js", "icon.svg"))
    assert 10_000 < weight < 150_000, weight
    assert "token" not in stage.page.evaluate("document.referrer + location.href")


def refuses_strangers(stage):
    status, text = stage.raw(path=f"?{stage.address.split('?')[1]}")
    assert status == 403 and "used already" in text, (status, text)
    for path in ("", "queue", "style.css", "events", "people"):
        assert stage.raw(path=path)[0] == 403, path
    cookie = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in stage.context.cookies())
    assert stage.raw(Cookie=cookie)[0] == 200
    assert stage.raw(Cookie=cookie, host="evil.example")[0] == 421
    assert stage.raw(Cookie=cookie, host="localhost")[0] == 421
    assert stage.raw("POST", "sync", body="", Cookie=cookie)[0] == 403
    assert stage.raw("POST", "sync", body="form=x", Cookie=cookie, Origin=stage.origin,
                     Content_Type="application/x-www-form-urlencoded")[0] == 403
    assert stage.raw("DELETE", "queue", Cookie=cookie)[0] == 405
    # The server reads 64 KiB.
    for length in (20_000, 200_000):
        status, text = stage.raw(path="queue?find=" + "x" * length, Cookie=cookie)
        assert status == 414 and "too long" in text, (length, status, text)


def gives_other_sites_nothing(stage):
    """A page of another local port is of the same site, and so gets cookies that are not bound to a path."""
    seen = []
    page = f"""<!doctype html><body><iframe src="{stage.root}/"></iframe><img src="{stage.root}/icon.svg">
        <form method="post" action="{stage.root}/sync"><input name="form" value="x"></form>"""

    class Evil(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            seen.append(dict(self.headers))
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Evil)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    evil = stage.context.new_page()
    evil.goto(f"http://127.0.0.1:{server.server_port}/{stage.place[:8]}/")
    assert seen and all("homing" not in headers.get("Cookie", "") for headers in seen), seen
    read = f"fetch('{stage.root}/', {{credentials: 'include'}}).then(() => 'read', () => 'refused')"
    assert evil.evaluate(read) == "refused"
    assert evil.evaluate("document.images[0].naturalWidth") == 0
    with evil.expect_navigation() as answer:
        evil.evaluate("document.forms[0].submit()")
    assert answer.value.status == 403
    evil.close()
    server.shutdown()


def keeps_room_for_the_person(stage):
    """Another user of this computer opens more connections than strangers may have, and says nothing."""
    parts = urllib.parse.urlsplit(stage.origin)
    strangers = [socket.create_connection((parts.hostname, parts.port)) for _ in range(100)]
    expect(stage.go("queue").get_by_role("heading", name="Queue")).to_be_visible()
    for stranger in strangers:
        stranger.settimeout(PATIENCE)
        try:
            assert stranger.recv(1) == b""
        except ConnectionResetError:
            pass
        stranger.close()


def fixes_the_person(stage):
    page = stage.go()
    expect(page.get_by_role("heading", name="Failed")).to_be_visible()
    stage.picture("overview-attention")
    page.get_by_role("link", name="Fix the person").first.click()
    expect(page.get_by_role("searchbox")).to_be_visible()
    stage.picture("fix")
    page.get_by_role("button", name="Send to this person").first.click()
    expect(page.get_by_text("This entry replaces the old one.")).to_be_visible()
    # It is delivered while the page is open.
    expect(page.locator("#state .badge")).to_have_text("delivered")
    expect(page.locator("#receipt")).to_contain_text("Server id")
    expect(page.locator("#payload")).to_contain_text("was destroyed")
    stage.picture("delivered")


def discards_and_restores(stage):
    page = stage.go()
    page.get_by_role("link", name="Discard").first.click()
    page.get_by_label("Reason").fill("a test")
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("You can restore it for ten minutes.")).to_be_visible()
    page.get_by_role("button", name="Restore").click()
    expect(page.get_by_text("Restored.")).to_be_visible()
    expect(page.locator("#undo")).to_be_empty()


def tries_again(stage):
    page = stage.go()
    page.get_by_role("button", name="Try again").first.click()
    expect(page.get_by_text("The entry will be tried again.")).to_be_visible()
    until("the next refusal", stage.station.failed)


def resumes_and_tries_now(stage):
    stage.station.homing("pause", "--reason", "a test")
    page = stage.go()
    page.get_by_role("button", name="Resume sending").first.click()
    expect(page.get_by_text("Sending continues.")).to_be_visible()
    # The only entry of its kind is refused, which may be the server’s fault.
    stage.station.sandbox("faults", fault="error", status=404, code="x", path="users/5/", method="POST")
    stage.station.submit(7)
    page.get_by_role("button", name="Try now").first.click()
    expect(page.get_by_text("Homing tries again now.")).to_be_visible()
    stage.station.clear_faults()
    stage.station.homing("sync", "--wait")


def records_outcomes(stage):
    """Both answers to an unknown outcome; the lost answers were those of writes that cannot be looked up."""
    station = stage.station
    for button in ("The server has it", "The server does not have it"):
        station.sandbox("faults", fault="commit-then-cut", path="users/5/facial_measurements", method="POST", count=1)
        entry = station.submitted("--no-document", "--route", "manual_measurement", "--user", "5", "--item", "face_width=140")
        until("the lost answer", lambda: '"unknownOutcome"' in station.homing("show", entry, "--json").stdout)
        page = stage.go(f"entry/{entry}")
        if button == "The server has it":
            page.get_by_role("link", name=button).click()
            page.get_by_label("Server id, if you know it").fill("17")
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.get_by_text("The outcome was recorded.")).to_be_visible()


def claims_and_discards_files(stage):
    station = stage.station
    station.homing("logout", "--yes")
    station.drop("unclaimed.json", station.capture(8).read_text())
    until("the unclaimed file", lambda: station.status()["spool"]["unclaimed"] == 1)
    station.sign_in()
    page = stage.go()
    page.get_by_role("button", name="These files are mine").click()
    expect(page.get_by_text("The files are yours, and will be sent.")).to_be_visible()
    station.drop("bad.json", "no JSON")
    page.get_by_role("link", name="Discard bad.json for good").click()
    page.get_by_label("Reason").fill("a test")
    page.get_by_role("button", name="Discard for good").click()
    expect(page.get_by_text("The file was discarded for good.")).to_be_visible()


def leaves_a_trail(stage):
    """What was done on the page so far, with the person who did it."""
    records = json.loads(stage.station.homing("audit", "--json").stdout)["records"]
    done = {record["event"] for record in records if record.get("uid") == os.geteuid()}
    # A discard that can be undone puts its entry on hold.
    missing = {"held", "restored", "retried", "superseded", "resumed", "synced", "resolved", "claimed", "fileDiscarded"} - done
    assert not missing, (missing, sorted(record["event"] for record in records))


def stays_current(stage):
    page = stage.go()
    page.evaluate("window.untouched = true")
    before = page.locator("#latest tbody tr").count()
    stage.station.submit(2)
    expect(page.locator("#latest tbody tr")).to_have_count(before + 1)
    assert page.evaluate("window.untouched") is True
    # The focus stays where it was.
    page.locator("#latest tbody a").last.focus()
    name = page.evaluate("document.activeElement.getAttribute('href')")
    stage.station.submit(3)
    expect(page.locator("#latest tbody tr")).to_have_count(before + 2)
    assert page.evaluate("document.activeElement.getAttribute('href')") == name


def shows_the_figures(stage):
    stage.station.homing("sync", "--wait", "--timeout", PATIENCE, check=False)
    page = stage.go("figures")
    chart = page.get_by_role("img", name="Captured and delivered entries per day")
    expect(chart).to_be_visible()
    # The policy of the page allows the pattern.
    assert "#hatch" in chart.locator("g .captured").last.evaluate("bar => getComputedStyle(bar).fill")
    expect(page.locator("#figures dl").first).to_contain_text("by the server")
    expect(page.get_by_role("img", name="Captured and delivered entries per hour")).to_be_visible()
    expect(page.get_by_role("img", name="The longest wait in each hour")).to_be_visible()
    page.get_by_text("By hour, newest first").click()
    expect(page.locator("#figures details tbody tr").first).to_be_visible()
    today = page.locator("#figures > .figures tbody tr").first.locator("td")
    captured, delivered = (int(today.nth(column).inner_text()) for column in (0, 1))
    stage.station.submit(5)
    stage.station.homing("sync", "--wait", "--timeout", PATIENCE, check=False)
    page.reload()
    expect(today.nth(0)).to_have_text(str(captured + 1))
    expect(today.nth(1)).to_have_text(str(delivered + 1))
    stage.picture("figures")


def draws_the_face(stage, entry, number):
    page = stage.go(f"entry/{entry}")
    expect(page.locator("#state .badge")).to_have_text("waiting")
    expect(page.locator(".story")).to_contain_text("Accepted and stored")
    stage.picture("entry-waiting")
    page.get_by_role("link", name="Show the captured face").click()
    expect(page.locator("svg g")).to_have_count(108)
    page.locator("svg g").nth(3).locator("line").first.hover(force=True)
    expect(page.locator("[data-readout]")).to_contain_text(" mm")
    assert page.locator(".lit").count() >= 3
    page.locator("tr[data-segment='0'] th").hover()
    strap = json.loads(stage.station.capture(number).read_text())["average_measurements"]["967-464"]
    expect(page.locator("[data-readout]")).to_contain_text(f"left strap 4 {strap['value']:.1f} mm")
    stage.picture("face")
    assert "exported" in stage.station.homing("events", "--since", "0", check=False).stdout


def compares_the_faces(stage, count):
    page = stage.go("queue?user=5&state=")
    page.get_by_role("link", name="Compare the captured faces").click()
    expect(page.locator(".legend li")).to_have_count(count)
    expect(page.locator(".traces svg path")).to_have_count(2 * count)
    expect(page.locator("tbody tr")).to_have_count(54)
    page.locator(".legend a").nth(1).focus()
    expect(page.locator("svg g.lit")).to_have_count(2)
    expect(page.locator("[data-readout]")).to_contain_text("B · ")
    patterns = page.locator(".legend path").evaluate_all("paths => paths.map(path => getComputedStyle(path).strokeDasharray)")
    assert len(set(patterns)) == count, patterns
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        found = Axe().run(page, options=RULES)
        assert found.violations_count == 0, found.generate_report()
    page.emulate_media(color_scheme="light")
    stage.picture("faces")


def reads_a_long_queue_to_its_end(stage, count):
    """By the cursor of each page, and a part of it in the browser."""
    cookie = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in stage.context.cookies())
    path, seen = "queue?state=pending", set()
    while path:
        status, text = stage.raw(path=path, Cookie=cookie)
        assert status == 200, (path, status)
        rows = text.split('id="entries"')[1]
        found = re.findall(r'<th scope="row"><a href="[^"]*/entry/([^"]+)">', rows)
        assert found and seen.isdisjoint(found), path
        seen.update(found)
        more = re.search(r'data-more><a class="button quiet" href="([^"]*)"', rows)
        path = more and html.unescape(more[1]).removeprefix(f"/{stage.place}/")
    assert len(seen) >= count, len(seen)
    page = stage.go("queue")

    def is_long():
        page.mouse.wheel(0, 100_000)
        page.wait_for_timeout(100)
        return page.locator("#entries tbody tr").count() >= min(count, 2000)

    until("a long list", is_long)
    stage.station.submit(1)
    frame = "new Promise(done => { const began = performance.now(); requestAnimationFrame(() => done(performance.now() - began)); })"
    assert page.evaluate(frame) < 2000
    page.locator("#entries tbody th a").last.click()
    expect(page.locator("#state .badge")).to_have_text("waiting")


def scrolls_through_the_queue(stage):
    page = stage.go("queue")
    expect(page.locator("#lanes tbody tr").first).to_be_visible()
    expect(page.locator("#entries tbody tr")).to_have_count(100)

    def is_at_the_end():
        page.mouse.wheel(0, 100_000)
        page.wait_for_timeout(100)
        # One of the 230 may be on its way.
        return page.locator("#entries tbody tr").count() >= 229

    until("the end of the queue", is_at_the_end)
    assert page.locator("[data-more]").count() == 0
    stage.picture("queue")


def shows_hostile_names_as_text(stage):
    page = stage.go("people")
    expect(page.locator("#rows")).to_contain_text("<img src=x")
    assert page.locator("main img").count() == 0
    page.get_by_role("searchbox").fill("img src")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#rows tbody tr")).to_have_count(1)
    stage.picture("people")
    expect(stage.go("people").locator("#rows")).to_contain_text("(no visible name)")
    # Marks above the letters do not paint over other rows.
    tall = page.locator("#rows bdi", has_text="Zalgo")
    assert tall.evaluate("name => getComputedStyle(name).overflow") == "clip"
    assert tall.evaluate("name => name.getBoundingClientRect().height") < 60


def survives_a_restart(stage):
    page = stage.go()
    page.evaluate("window.untouched = true")
    stage.station.kill_daemon()
    expect(page.get_by_text("Homing is restarting…")).to_be_visible()
    stage.picture("restarting")
    stage.station.run_daemon()
    expect(page.get_by_text("Homing is restarting…")).not_to_be_visible()
    assert page.evaluate("window.untouched") is True
    stage.station.kill_daemon()
    page.goto(f"{stage.root}/accounts")
    expect(page.get_by_role("heading", name="Homing is not running")).to_be_visible()
    stage.station.run_daemon()
    expect(page.get_by_role("heading", name="Accounts")).to_be_visible()


def notices_a_frozen_daemon(stage):
    page = stage.go()
    page.evaluate("window.untouched = true")
    expect(page.locator("#lost")).to_be_empty()
    stage.station.freeze_daemon(True)
    try:
        expect(page.get_by_text("Homing is restarting…")).to_be_visible(timeout=25_000)
    finally:
        stage.station.freeze_daemon(False)
    expect(page.locator("#lost")).to_be_empty()
    assert page.evaluate("window.untouched") is True


def signs_out_and_in(stage):
    page = stage.go("accounts")
    page.get_by_role("link", name="Sign out").click()
    expect(page.locator("form.card")).to_contain_text("waiting")
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_text("Signed out on this station.")).to_be_visible()
    stage.go("people").get_by_role("link", name="Sign in").click()
    page.get_by_label("Email address").fill("manager@lab.test")
    page.get_by_label("Password", exact=True).fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".card.grave")).to_be_visible()
    page.get_by_label("Password", exact=True).fill("Correct-horse-9")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Signed in. Homing sends waiting entries automatically.")).to_be_visible()
    stage.picture("accounts")


PAGES = ("", "people", "queue", "queue?state=dead", "delivered", "delivered?after=0", "figures", "accounts",
         "accounts/sign-out?backend=breathesafe", "accounts/sign-in?backend=breathesafe", "nowhere")


def is_accessible(stage, entry):
    axe = Axe()
    pages = (*PAGES, f"entry/{entry}", f"entry/{entry}/face", f"entry/{entry}/discard", f"entry/{entry}/fix")
    for scheme in ("light", "dark"):
        stage.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        for path in pages:
            found = axe.run(stage.go(path), options=RULES)
            assert found.violations_count == 0, f"{path} ({scheme}): {found.generate_report()}"
    stage.picture("dark-entry")
    for width in (360, 1280, 3840):
        stage.page.set_viewport_size({"width": width, "height": 800})
        for path in pages:
            page = stage.go(path)
            over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, f"{path} is {over} pixels too wide at {width}"
        stage.go()
        stage.picture(f"overview-{width}")
    stage.page.set_viewport_size({"width": 1280, "height": 800})
    page = stage.go()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


# Words of the daemon's sentences. Those of servers and people are quoted, and commands and names have none of them.
ENGLISH = re.compile(
    r"\b(waiting|waits?|delivered|refused|failed|tries|trying|nothing|everything|cannot|because|since|until|signed|paused|captures?|entry|entries|read"
    r"|new person|person change|person deletion)\b|\(new\)",
    re.IGNORECASE)
TEXT = """() => {
    const copy = document.querySelector("main").cloneNode(true);
    copy.querySelectorAll("q, code, input").forEach((part) => part.remove());
    return copy.innerText;
}"""


def has_no_english(stage, path):
    page = stage.go(path)
    found = ENGLISH.findall(page.evaluate(TEXT))
    assert not found, f"{path} has {found}: {page.evaluate(TEXT)[:1000]}"
    assert page.locator("main [lang=en]:visible").count() == 0, f"{path} has a sentence of the daemon"


def speaks_vietnamese(stage, entry):
    page = stage.go("language/vi")
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    expect(page.get_by_role("link", name="Tổng quan")).to_be_visible()
    stage.picture("vietnamese")
    pages = [path for path in PAGES if path != "nowhere"] + [f"entry/{entry}{part}" for part in ("", "/face", "/fix", "/discard")]
    for path in pages:
        has_no_english(stage, path)
    for command in (("pause", "--for", "1h", "--reason", "…"), ("resume",), ("discard", entry, "--yes"), ("undo", entry, "--yes")):
        stage.station.homing(*command)
        for path in ("", "accounts", f"entry/{entry}"):
            has_no_english(stage, path)
    stage.go("language/en")
    expect(stage.page.get_by_role("link", name="Overview")).to_be_visible()


def says_when_it_has_ended(stage):
    page = stage.go()
    process = stage.station.processes.pop("dashboard")
    process.terminate()
    process.wait()
    seen = []

    class Impostor(http.server.BaseHTTPRequestHandler):
        """A program of another user that takes the port."""
        def do_GET(self):
            seen.append(self.path)
            is_stream = self.path.endswith("/events")
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream" if is_stream else "text/html")
            self.end_headers()
            self.wfile.write(b"event: change\ndata: -\n\n" if is_stream else b"<div id='sentence' data-live>Impostor</div>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", urllib.parse.urlsplit(stage.origin).port), Impostor)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    expect(page.get_by_text("This page has ended.")).to_be_visible()
    until("the reconnection", lambda: any(path.endswith("/events") for path in seen))
    # Longer than a browser waits before it connects again.
    page.wait_for_timeout(6000)
    assert sum(path.endswith("/events") for path in seen) == 1, seen
    assert urllib.parse.urlsplit(page.url).path not in seen, seen
    assert "Impostor" not in page.locator("body").inner_text()
    server.shutdown()


def play(station, browser):
    station.sandbox("add-person", first_name=HOSTILE, last_name="Example")
    station.sandbox("add-person", first_name=TALL, last_name="Example")
    station.sandbox("add-person", first_name="\u200b", last_name="\u3164")
    station.homing("people", "--refresh")
    station.submit(9, user=6)
    station.submit(1)
    until("the refusal", station.failed)
    stage = Stage(station, browser)
    acts = [opens_with_a_token, refuses_strangers, keeps_room_for_the_person, gives_other_sites_nothing, discards_and_restores, tries_again,
            fixes_the_person, resumes_and_tries_now, records_outcomes, claims_and_discards_files, leaves_a_trail, stays_current,
            shows_the_figures, shows_hostile_names_as_text]
    for act in acts:
        step(stage, act)
    station.sandbox("down")
    number = 4
    entry = station.submit(number)
    for other in (5, 6):
        station.submit(other)
    step(stage, compares_the_faces, 3)
    station.submit_many(227)
    step(stage, draws_the_face, entry, number)
    for act in (scrolls_through_the_queue, survives_a_restart, notices_a_frozen_daemon):
        step(stage, act)
    step(stage, speaks_vietnamese, entry)
    step(stage, is_accessible, entry)
    station.sandbox("up")
    step(stage, signs_out_and_in)
    station.sandbox("down")
    station.submit_many(ENTRIES)
    step(stage, reads_a_long_queue_to_its_end, ENTRIES)
    step(stage, says_when_it_has_ended)


def step(stage, act, *arguments):
    stage.complaints.clear()
    act(stage, *arguments)
    assert not stage.complaints, f"{act.__name__}: {stage.complaints}"
    print(f"dashboard: {act.__name__.replace('_', ' ')}", flush=True)


if __name__ == "__main__":
    play_at_a_station(play)
