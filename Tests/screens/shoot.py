"""Pictures of the dashboard's first page in four states, for the page for managers."""
import json, urllib.parse

from PIL import Image
from playwright.sync_api import expect

from station import PATIENCE, PROJECT, STAGE, play_at_a_station, until

expect.set_options(timeout=PATIENCE * 1000)
PICTURES = PROJECT / "Sources/SyncDaemon/Documentation.docc/Resources"
EXAMPLE = "www.breathesafe.xyz"
MOST_BYTES = 80_000
# Writes the address of this run as on a station.
TIDY = """([own, example]) => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
        const text = texts.currentNode;
        text.data = text.data.replaceAll(`http://${own}`, `https://${example}`).replaceAll(own, example).replaceAll(own.split(":")[0], example);
    }
}"""


def shoot(station, page, name, mood):
    page.reload()
    expect(page.locator(f".mood.{mood}")).to_be_visible()
    page.evaluate(TIDY, [urllib.parse.urlsplit(station.backend).netloc, EXAMPLE])
    assert "127.0.0.1" not in page.locator("body").inner_text()
    raw, picture = STAGE / f"{name}.png", PICTURES / f"{name}.png"
    page.screenshot(path=raw, full_page=True)
    with Image.open(raw) as image:
        image.convert("RGB").quantize(64).save(picture, optimize=True)
    assert picture.stat().st_size < MOST_BYTES, f"{picture} has {picture.stat().st_size} bytes"
    print(f"screens: {name}", flush=True)


def backend(station):
    return json.loads(station.homing("status", "--json", check=False).stdout)["backends"][0]


def deliver(station):
    station.homing("sync", "--wait", "--timeout", PATIENCE, check=False)
    until("the deliveries", lambda: backend(station)["queue"]["pending"] == 0)


def play(station, browser):
    PICTURES.mkdir(exist_ok=True)
    context = browser.new_context(viewport={"width": 1000, "height": 400}, color_scheme="light", locale="en-GB")
    # Without its script, the page does not change between the last word and the picture.
    context.route("**/page.js", lambda route: route.abort())
    page = context.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    for number in range(1, 6):
        station.submit(number)
    deliver(station)
    page.goto(station.run_dashboard())
    page.wait_for_url("**/")
    shoot(station, page, "dashboard-delivered", "good")
    station.sandbox("down")
    for number in range(6, 9):
        station.submit(number)
    until("the outage", lambda: backend(station)["gate"] == "cooling")
    shoot(station, page, "dashboard-offline", "waiting")
    station.homing("logout", "--yes")
    shoot(station, page, "dashboard-signed-out", "attention")
    station.sandbox("up")
    station.sign_in()
    deliver(station)
    # The server has this user, but the account does not manage them.
    station.submit(9, user=4)
    until("the refusal", lambda: backend(station)["queue"]["dead"] == 1)
    shoot(station, page, "dashboard-needs-you", "attention")


if __name__ == "__main__":
    play_at_a_station(play)
