"""Measures the page of ‘homing dashboard’ in Chromium, and writes rows for the benchmark as JSON into FIGURES: the weight of each page, the time to
its first paint, and the longest pauses of the page while a thousand events arrive each second. QUICK=1 measures less."""
import json, os, pathlib, statistics, threading

from play import Stage
from station import play_at_a_station, until

QUICK = bool(os.environ.get("QUICK"))
LOADS = 3 if QUICK else 9
RATE, SECONDS = 1000, 2 if QUICK else 10
# In bytes and milliseconds.
HEAVIEST, LATEST_PAINT, LONGEST_TASK, LONGEST_GAP = 150_000, 200, 100, 250
ASSETS = ("style.css", "page.js", "icon.svg")
PAINT = """() => new Promise((painted) => {
    const find = () => {
        const entry = performance.getEntriesByName("first-contentful-paint")[0];
        entry ? painted(entry.startTime) : setTimeout(find, 5);
    };
    find();
})"""
WATCH = """() => {
    const seen = window.seen = { task: 0, gap: 0, updates: 0 };
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) seen.task = Math.max(seen.task, entry.duration);
    }).observe({ type: "longtask" });
    // The page reads itself again after each event that it hears of.
    const read = window.fetch;
    window.fetch = (...what) => {
        seen.updates += 1;
        return read(...what);
    };
    let last = performance.now();
    requestAnimationFrame(function frame(now) {
        seen.gap = Math.max(seen.gap, now - last);
        last = now;
        requestAnimationFrame(frame);
    });
}"""


def row(what, value, unit, most=None):
    found = {"part": "page", "what": what, "value": value, "unit": unit}
    return found if most is None else {**found, "target": f"at most {most}", "isMet": value <= most}


def weights(stage, pages):
    cookie = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in stage.context.cookies())

    def size(path):
        status, text = stage.raw(path=path, Cookie=cookie)
        assert status == 200, (path, status)
        return len(text.encode())

    assets = sum(map(size, ASSETS))
    return [row(f"{name}: weight with style, script and icon", (size(path) + assets) / 1000, "kB", HEAVIEST / 1000)
            for name, path in pages.items()]


def paints(stage, pages):
    rows = []
    for name, path in pages.items():
        times = []
        for _ in range(LOADS):
            times.append(stage.go(path).evaluate(PAINT))
        rows.append(row(f"{name}: first paint, median of {LOADS}", statistics.median(times), "ms", LATEST_PAINT))
    return rows


def bursts(stage, pages):
    """Entries that wait, so that each makes one event."""
    rows = []
    for name, path in pages.items():
        page = stage.go(path)
        # The stream of events is open once the first change has arrived.
        page.evaluate(WATCH)
        stage.station.submit_many(1)
        until("the first change", lambda: page.evaluate("seen.updates") > 0)
        page.evaluate("seen.task = seen.gap = seen.updates = 0")
        before = json.loads(stage.station.homing("status", "--json", check=False).stdout)["cursor"]
        burst = threading.Thread(target=stage.station.submit_many, args=(RATE * SECONDS, RATE))
        burst.start()
        waited = 0
        while burst.is_alive():
            page.wait_for_timeout(100)
            waited += 0.1
        events = json.loads(stage.station.homing("status", "--json", check=False).stdout)["cursor"] - before
        seen = page.evaluate("seen")
        assert seen["updates"] > 0, f"{path} was not updated"
        title = f"{name}: {events / waited:,.0f} events each second for {waited:.0f} s"
        rows += [row(f"{title}: longest task of the page", seen["task"], "ms", LONGEST_TASK),
                 row(f"{title}: longest time between two frames", seen["gap"], "ms", LONGEST_GAP)]
    return rows


def measure(station, browser):
    station.homing("people", "--refresh")
    station.submit(9, user=6)
    for number in range(1, 5):
        station.submit(number)
    until("the deliveries", lambda: station.homing("list", "--state", "delivered", "--json").stdout.count('"id"') >= 4)
    stage = Stage(station, browser)
    stage.page.goto(stage.address)
    stage.page.wait_for_url(f"{stage.root}/")
    station.sandbox("down")
    entry = station.submit(5)
    for number in (6, 7):
        station.submit(number)
    station.submit_many(227)
    pages = {"overview": "", "people": "people", "queue": "queue", "delivered": "delivered", "receipts": "delivered?after=0",
             "figures": "figures", "accounts": "accounts", "entry": f"entry/{entry}", "face": f"entry/{entry}/face",
             "faces": "people/faces?backend=breathesafe&user=5"}
    return weights(stage, pages) + paints(stage, pages) + bursts(stage, {"overview": "", "queue": "queue"})


def write(station, browser):
    pathlib.Path(os.environ["FIGURES"]).write_text(json.dumps(measure(station, browser)))


if __name__ == "__main__":
    play_at_a_station(write)
