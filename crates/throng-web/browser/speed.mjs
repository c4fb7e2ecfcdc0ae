// How fast the page is, in a real browser: the figures of docs/serve.md. A table of a million rows goes the whole way, and every
// kind of page is clicked at while its release is searched. Build with --release, and let nothing else run.
//
//   node speed.mjs target/release/throng /usr/bin/chromium node_modules [ROWS] [SECONDS]
//
// SECONDS: how long the pages are clicked at, while a search runs that takes at least as long.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderIn, heading, launch, sameBytes, temporary, visitor } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules, rows = "1000000", seconds = "30"] = process.argv.slice(2);
const home = temporary();
const folder = folderIn(home, "tables");
const load = () => spawnSync("cut", ["-d ", "-f1-3", "/proc/loadavg"], { encoding: "utf8" }).stdout.trim();

const sorted = (/** @type {number[]} */ all) => [...all].sort((a, b) => a - b);
const part = (/** @type {number[]} */ all, /** @type {number} */ share) => sorted(all)[Math.min(all.length - 1, Math.floor(share * all.length))];
/** @param {string} what @param {number[]} all */
function told(what, all) {
  const [median, most, late] = [part(all, 0.5), Math.max(...all), part(all, 0.95)].map(Math.round);
  console.log(`${what}: median ${median} ms, 95 % within ${late} ms, most ${most} ms (${all.length} times)`);
}

console.log(`load: ${load()}`);
const browser = await launch(chromium, modules);
const { context, open } = await visitor(browser);
context.setDefaultTimeout(1_200_000);

/** From the start of the program to its address, and to its first page in the browser. */
async function untilFirstPage() {
  const page = await open();
  const began = performance.now();
  const server = await start(binary, folder);
  const printed = performance.now() - began;
  await page.goto(server.url, { waitUntil: "load" });
  const shown = performance.now() - began;
  await page.close();
  await server.kill();
  return { printed, shown };
}

await untilFirstPage();
const starts = [];
for (let at = 0; at < 10; at += 1) starts.push(await untilFirstPage());
told("start to the address", starts.map((one) => one.printed));
told("start to the first page", starts.map((one) => one.shown));

const made = spawnSync(binary, ["demo", "--rows", rows, "--dir", home], { encoding: "utf8" });
if (made.status !== 0) throw new Error(made.stderr);
renameSync(join(home, "hospital.csv"), join(folder, "hospital.csv"));

const server = await start(binary, folder);
const page = await open();
await page.goto(server.url);

/** When the page that is shown was answered, and when it could be used, counted from the click, as the browser tells. */
const timing = () =>
  page.evaluate(() => {
    const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    return { answered: entry.responseEnd, shown: entry.domContentLoadedEventEnd };
  });

try {
  console.log(`load: ${load()}`);
  const [profiles, suggestions] = [[], []];
  for (let at = 0; at < 5; at += 1) {
    await page.goto(server.origin);
    const began = performance.now();
    await page.getByRole("button", { name: "Use hospital.csv" }).click();
    await page.locator(".facts").waitFor();
    profiles.push(performance.now() - began);
    await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
    suggestions.push(performance.now() - began);
  }
  told(`profile of ${Number(rows).toLocaleString("en")} rows`, profiles);
  told("with roles and steps suggested", suggestions);

  // The weight of each page, with its style and script, as a browser loads it first.
  const draft = new URL(page.url()).pathname.replace("/table", "");
  const session = await context.newCDPSession(page);
  let sent = 0;
  await session.send("Network.enable");
  session.on("Network.loadingFinished", (event) => (sent += event.encodedDataLength));
  const pages = ["/", `${draft}/table`, `${draft}/columns`, `${draft}/detail`, `${draft}/safety`];
  const weigh = async (/** @type {string} */ path, /** @type {string} */ name) => {
    await session.send("Network.clearBrowserCache");
    sent = 0;
    await page.goto(server.origin + path, { waitUntil: "networkidle" });
    const { answered } = await timing();
    console.log(`${name}: ${Math.round(sent / 1024)} KiB, answered after ${Math.round(answered)} ms`);
  };
  for (const path of pages) await weigh(path, path.split("/").pop() || "start");

  // A search that takes long, and clicks meanwhile.
  await page.goto(`${server.origin}${draft}/safety`);
  await page.getByLabel("1 in 5", { exact: false }).first().check();
  const long = `input = "hospital.csv"\noutput = "r.csv"\n[columns]\nbirth_date = { role = "quasi" }\nzip = { role = "quasi" }
    '*' = { role = "identifier" }\n[privacy]\nk = 5\n[search]\nalgorithm = "sequential"\nimprove_seconds = 3600\n`;
  writeFileSync(join(home, "long.toml"), long);
  const searching = await open();
  await searching.goto(server.origin);
  await searching.setInputFiles("#job", join(home, "long.toml"));
  await searching.getByRole("button", { name: "Open the job" }).click();
  await searching.getByRole("link", { name: "Yes, this is my table" }).click();
  await searching.getByRole("link", { name: "Safety" }).click();
  await searching.getByRole("button", { name: "Make the release" }).click();
  await searching.locator("[data-phase=search][aria-current]").waitFor();
  console.log(`load: ${load()}`);
  /** @type {Record<string, {answered: number, shown: number}[]>} */
  const clicks = {};
  const until = performance.now() + 1000 * Number(seconds);
  for (let at = 0; performance.now() < until; at += 1) {
    const path = pages[at % pages.length];
    await page.goto(server.origin + path, { waitUntil: "domcontentloaded" });
    (clicks[path.split("/").pop() || "start"] ??= []).push(await timing());
  }
  const all = Object.values(clicks).flat();
  told("pages while a search runs, answered", all.map((one) => one.answered));
  told("pages while a search runs, to be used", all.map((one) => one.shown));
  for (const [name, times] of Object.entries(clicks)) told(`  ${name}, answered`, times.map((one) => one.answered));
  await page.goto(`${server.origin}${draft}/columns`);
  /** @type {Record<string, number[]>} */
  const answers = {};
  const role = (/** @type {string} */ column, /** @type {string} */ name) => page.getByRole("radiogroup", { name: column, exact: true }).getByLabel(name);
  for (let at = 0; at < 20; at += 1) {
    // From harmless to known a column needs steps, which are made of its values.
    const [column, name] = [["diagnosis", ["Harmless", "Secret, but needed"][at % 2]], ["sex", ["Harmless", "Others may know it"][at % 2]]][at < 10 ? 0 : 1];
    const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
    const began = performance.now();
    await role(String(column), String(name)).check({ force: true });
    (answers[`  ${column}: ${name}`] ??= []).push(0);
    const [seen, answer] = [performance.now() - began, await answered];
    assert.equal(answer.status(), 204);
    const list = answers[`  ${column}: ${name}`] ?? [];
    list[list.length - 1] = performance.now() - began;
    (answers["an answer, to be seen"] ??= []).push(seen);
  }
  for (const [what, times] of Object.entries(answers)) told(what.startsWith(" ") ? `${what}, saved` : what, times);
  await searching.locator("[data-phase=search][aria-current]").waitFor();
  const stopped = performance.now();
  await searching.getByRole("button", { name: "Stop" }).click();
  await heading(searching, "You stopped this run");
  console.log(`stop: ${Math.round(performance.now() - stopped)} ms`);
  await searching.close();

  // The whole way: the release of the page, and the same one by the command.
  await page.goto(`${server.origin}${draft}/safety`);
  const began = performance.now();
  await page.getByRole("button", { name: "Make the release" }).click();
  await heading(page, "Will you send this?");
  console.log(`release and report of ${Number(rows).toLocaleString("en")} rows: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  const release = await sameBytes(page, home, binary);
  console.log(`the command made the same ${release.length.toLocaleString("en")} bytes`);
  await weigh(new URL(page.url()).pathname, "result");
  console.log(`load: ${load()}`);
} finally {
  await browser.close();
  await server.kill();
}
