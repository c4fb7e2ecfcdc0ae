// How fast the page is, in a real browser: the figures of docs/serve.md. Build with --release, and let nothing else run.
//
//   node speed.mjs target/release/throng /usr/bin/chromium node_modules [ROWS]
import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { launch, temporary } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules, rows = "1000000"] = process.argv.slice(2);
const home = temporary();
const folder = join(home, "tables");
mkdirSync(folder);

const median = (/** @type {number[]} */ all) => [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)];
const told = (/** @type {string} */ what, /** @type {number[]} */ all, unit = "ms") =>
  console.log(`${what}: median ${Math.round(median(all))} ${unit}, most ${Math.round(Math.max(...all))} ${unit} (${all.length} times)`);

const browser = await launch(chromium, modules);
const context = await browser.newContext();
context.setDefaultTimeout(600_000);

/** From the start of the program to its first page in the browser. */
async function untilFirstPage() {
  const page = await context.newPage();
  const began = performance.now();
  const server = await start(binary, folder);
  await page.goto(server.url, { waitUntil: "load" });
  const spent = performance.now() - began;
  await page.close();
  await server.kill();
  return spent;
}

await untilFirstPage();
const starts = [];
for (let at = 0; at < 10; at += 1) starts.push(await untilFirstPage());
told("start to first page", starts);

const made = spawnSync(binary, ["demo", "--rows", rows, "--dir", home], { encoding: "utf8" });
if (made.status !== 0) throw new Error(made.stderr);
renameSync(join(home, "hospital.csv"), join(folder, "hospital.csv"));

const server = await start(binary, folder);
const page = await context.newPage();
let sent = 0;
const session = await context.newCDPSession(page);
await session.send("Network.enable");
session.on("Network.loadingFinished", (event) => (sent += event.encodedDataLength));
await page.goto(server.url);

/** Milliseconds from a click to the page behind it. */
async function clicked(/** @type {() => Promise<unknown>} */ click, /** @type {() => Promise<unknown>} */ seen) {
  const began = performance.now();
  await click();
  await seen();
  return performance.now() - began;
}

try {
  const profiles = [];
  for (let at = 0; at < 3; at += 1) {
    await page.goto(server.origin);
    const spent = await clicked(
      () => page.getByRole("button", { name: "Use hospital.csv" }).click(),
      () => page.locator(".facts").waitFor(),
    );
    profiles.push(spent);
    await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  }
  told(`profile of ${Number(rows).toLocaleString("en")} rows`, profiles);

  // The weight of each page, with its style and script, as a browser loads it first.
  const draft = new URL(page.url()).pathname.replace("/table", "");
  for (const path of ["/", `${draft}/table`, `${draft}/columns`, `${draft}/detail`, `${draft}/safety`]) {
    await session.send("Network.clearBrowserCache");
    sent = 0;
    await page.goto(server.origin + path, { waitUntil: "load" });
    console.log(`${path.split("/").pop() || "start"}: ${Math.round(sent / 1024)} KiB`);
  }

  // A search that takes long, and clicks meanwhile.
  await page.goto(`${server.origin}${draft}/safety`);
  await page.getByLabel("1 in 5", { exact: false }).first().check();
  await page.getByRole("button", { name: "Show what each answer costs" }).click();
  await page.locator("[data-wait]").waitFor();
  await page.getByRole("button", { name: "Make the release" }).click();
  await page.locator("[data-run]").waitFor();
  const clicks = [];
  let isBusy = true;
  for (let at = 0; at < 60 && isBusy; at += 1) {
    const path = ["/", `${draft}/columns`, `${draft}/detail`, `${draft}/safety`, `${draft}/table`][at % 5];
    const began = performance.now();
    await page.goto(server.origin + path, { waitUntil: "domcontentloaded" });
    clicks.push(performance.now() - began);
    if (path === "/") isBusy = await page.getByText("is being made").isVisible();
  }
  told("pages while a search runs", clicks);
  const answers = [];
  await page.goto(`${server.origin}${draft}/columns`);
  for (let at = 0; at < 10; at += 1) {
    const role = at % 2 === 0 ? "Harmless" : "Secret, but needed";
    const answered = page.waitForResponse((answer) => answer.request().method() === "POST");
    const spent = await clicked(
      () => page.getByRole("radiogroup").last().getByLabel(role).check({ force: true }),
      () => answered,
    );
    answers.push(spent);
  }
  told("an answer that is saved", answers);
} finally {
  await browser.close();
  await server.kill();
}
