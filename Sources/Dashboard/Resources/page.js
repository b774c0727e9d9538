// Keeps the open page current. Without this script every page and button works; it then shows the state of its loading.

const { run, events: address } = document.documentElement.dataset;
const lost = document.getElementById("lost");
const changed = document.getElementById("changed");
changed.addEventListener("click", () => location.reload());

async function read(place) {
    const response = await fetch(place, { credentials: "same-origin" });
    const fresh = new DOMParser().parseFromString(await response.text(), "text/html");
    // Another user's program may have taken the port since. It cannot know the value of this run.
    if (fresh.documentElement.dataset.run !== run) {
        end();
        throw new Error("The dashboard has ended.");
    }
    return fresh;
}

/** Replaces the live parts that differ. A part in which the person types, or to which pages were added, stays. */
function show(fresh) {
    for (const old of document.querySelectorAll("[data-live]")) {
        const next = fresh.getElementById(old.id);
        if (!next) continue;
        // A list that has grown may have 100,000 rows, so it is not compared as a whole.
        if ("grown" in old.dataset) {
            if (next.querySelector(".chunk")?.innerHTML !== old.querySelector(".chunk").innerHTML) changed.hidden = false;
            continue;
        }
        if (next.innerHTML === old.innerHTML) continue;
        const active = old.contains(document.activeElement) ? document.activeElement : null;
        if (active?.matches("input")) continue;
        const open = [...old.querySelectorAll("details")].map((details) => details.open);
        const name = active && (active.getAttribute("href") ?? active.form?.getAttribute("action"));
        old.replaceChildren(...[...next.childNodes].map((node) => document.importNode(node, true)));
        [...old.querySelectorAll("details")].forEach((details, index) => { details.open = open[index] ?? false; });
        if (name) find(old, name)?.focus({ preventScroll: true });
    }
    watch();
}

function find(part, name) {
    const named = (element) => element.getAttribute("href") === name || element.form?.getAttribute("action") === name;
    return [...part.querySelectorAll("a, button")].find(named);
}

// The notice is shown once, also after a reload.
const here = new URL(location.href);
if (here.searchParams.has("did")) {
    here.searchParams.delete("did");
    history.replaceState(null, "", here);
}

let reading = false;
let isStale = false;
async function refresh() {
    isStale = true;
    if (reading) return;
    reading = true;
    try {
        while (isStale) {
            isStale = false;
            const fresh = await read(location.href);
            // A page that reported a problem is another one afterwards.
            if (document.getElementById("problem")) {
                if (!fresh.getElementById("problem")) location.reload();
            } else if (!fresh.getElementById("problem")) {
                show(fresh);
            }
        }
    } catch (error) {
        // The page stays as it is; the stream of events tells if the dashboard has ended.
        console.info(error);
    } finally {
        reading = false;
    }
}

function say(state) {
    const text = state ? lost.dataset[state] : "";
    if (lost.textContent !== text) lost.textContent = text;
}

// A hidden page holds no connection: a browser has six for one address.
let events;
let hasEnded = false;
let hasFailed = false;
function listen() {
    if (document.hidden || !address || hasEnded) {
        events?.close();
        events = undefined;
    } else if (!events) {
        events = new EventSource(address);
        hear("change", () => { say(); refresh(); });
        hear("lost", () => say("restarting"));
        hear("silent", () => say("silent"));
        events.addEventListener("error", () => {
            // The browser connects again by itself, for example after a change of the network. Once is enough.
            if (hasFailed || events?.readyState === EventSource.CLOSED) end();
            hasFailed = true;
        });
    }
}

function hear(kind, act) {
    events.addEventListener(kind, (event) => {
        if (event.data !== run) return end();
        hasFailed = false;
        act();
    });
}

/** For good: what answers at this address from now on may be another user's program. */
function end() {
    hasEnded = true;
    say("ended");
    listen();
}
document.addEventListener("visibilitychange", listen);
listen();

/** Adds the next page when the end of the list comes into view. */
const seen = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) grow(target);
}, { rootMargin: "600px" });

function watch() {
    for (const more of document.querySelectorAll("[data-live] [data-more]")) seen.observe(more);
}

async function grow(more) {
    seen.unobserve(more);
    const list = more.closest("[data-live]");
    try {
        const fresh = await read(more.querySelector("a").href);
        const next = fresh.getElementById(list.id);
        const rows = next?.querySelector(".chunk");
        if (!rows || !more.isConnected) return;
        list.dataset.grown = "";
        const added = document.importNode(rows, true);
        added.querySelector("thead")?.classList.add("unseen");
        const after = next.querySelector("[data-more]");
        more.before(added);
        if (after) more.before(document.importNode(after, true));
        more.remove();
        watch();
    } catch {
        // The link stays, for another try.
    }
}
watch();

// One click is enough.
document.addEventListener("submit", (event) => {
    for (const button of event.target.querySelectorAll("button")) setTimeout(() => { button.disabled = true; });
});
addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("button:disabled")) button.disabled = false;
});

/** A segment of the face, its row and its length light up together. */
const readout = document.querySelector("[data-readout]");
function light(event) {
    const number = event.target.closest?.("[data-segment]")?.dataset.segment;
    for (const part of document.querySelectorAll("[data-segment]")) part.classList.toggle("lit", part.dataset.segment === number);
    const title = number && document.querySelector(`g[data-segment="${number}"] title`);
    if (title) readout.textContent = title.textContent;
}
if (readout) for (const kind of ["pointerover", "focusin"]) document.addEventListener(kind, light);
