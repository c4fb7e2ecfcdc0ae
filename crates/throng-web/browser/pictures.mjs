// Pictures of every step, wide and narrow, in light and in dark; to look at them, and for the guide.
//
//   node pictures.mjs target/debug/throng /usr/bin/chromium node_modules OUT [GUIDE]
//
// OUT gets all of them, as STEP-WIDTH-SCHEME.png. GUIDE gets the three that the guide shows: docs/images.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { launch, temporary } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules, out, guide] = process.argv.slice(2);
const WIDTHS = [1280, 390];
const SCHEMES = /** @type {const} */ (["light", "dark"]);
/** Steps of the guide, and how much of each page it shows. */
const GUIDE = { columns: 900, safety: 900, result: 1000 };

const home = temporary();
const folder = join(home, "tables");
mkdirSync(folder);
mkdirSync(out, { recursive: true });
const made = spawnSync(binary, ["demo", "--rows", "2000", "--dir", folder], { encoding: "utf8" });
if (made.status !== 0) throw new Error(made.stderr);
writeFileSync(join(folder, "ragged.csv"), "a,b\n1,2\n3\n4,5\n");

const server = await start(binary, folder);
const browser = await launch(chromium, modules);
const context = await browser.newContext();
context.setDefaultTimeout(180_000);
const page = await context.newPage();

/** All four pictures of the page as it stands. */
async function picture(name) {
  for (const colorScheme of SCHEMES) {
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      // As high as the page, so that what sticks to the bottom is at the bottom.
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      await page.setViewportSize({ width, height });
      await page.screenshot({ path: join(out, `${name}-${width}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: GUIDE[name] ?? 900 });
  if (guide && GUIDE[name]) {
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.screenshot({ path: join(guide, `serve-${name}.png`) });
  }
}

/** Clicks a button, and waits for the page behind it. */
async function click(name, heading) {
  await page.getByRole("button", { name }).first().click();
  await page.locator("h1", { hasText: heading }).waitFor();
}

try {
  await page.goto(server.url);
  await picture("start");
  await click("Use hospital.csv", "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  await picture("table-covered");
  await page.getByRole("button", { name: "Show original cells" }).click();
  await page.getByText("First rows").waitFor();
  await picture("table");
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await picture("columns");
  await click("Next: how much detail", "How much detail must stay?");
  await picture("detail");
  await page.getByRole("button", { name: "Cover them again" }).click();
  await page.getByRole("link", { name: "Next: how safe" }).click();
  await page.getByRole("button", { name: "Show what each answer costs" }).click();
  await page.locator("#front svg").waitFor();
  await page.locator("#front .mark").nth(2).hover();
  await picture("safety");
  await page.getByLabel("1 in 5", { exact: false }).first().check();
  await page.getByRole("button", { name: "Make the release" }).click();
  await page.locator("h1", { hasText: /Will you send this|We are making/ }).waitFor();
  await page.locator("h1", { hasText: "Will you send this?" }).waitFor();
  const result = page.url();
  for (const [button, part] of [["Attack the release", "#attack b"], ["Let them learn", "#learned table"], ["Find out", "#costs table"]]) {
    await page.getByRole("button", { name: button }).click();
    await page.locator(part).first().waitFor();
  }
  await picture("result");
  await page.goto(`${result}/files/report`);
  await picture("report");
  await page.goto(server.origin);
  const job = `input = 'hospital.csv'\noutput = 'r.csv'\n[columns]\nbirth_date = { role = 'quasi', max_level = 0 }\n'*' = { role = 'identifier' }\n[privacy]\nk = 500\n`;
  writeFileSync(join(home, "job.toml"), job);
  await page.setInputFiles("#job", join(home, "job.toml"));
  await click("Open the job", "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await page.getByRole("link", { name: "Safety" }).click();
  await click("Make the release", "No release is possible");
  await picture("none");
  // A release that takes each column to one step, and so has its place among all of them.
  const steps = `input = 'hospital.csv'\noutput = { path = 'r.csv', order = 'shuffle' }\n[columns]\nzip = { role = 'quasi', hierarchy = { mask = 'right' } }\nbirth_date = { role = 'quasi', hierarchy = { dates = ['month', 'year', 'decade'] } }\nsex = { role = 'quasi' }\n'*' = { role = 'identifier' }\n[privacy]\nk = 5\nsuppression = '2%'\n[search]\nalgorithm = 'flash'\n`;
  writeFileSync(join(home, "job.toml"), steps);
  await page.goto(server.origin);
  await page.setInputFiles("#job", join(home, "job.toml"));
  await click("Open the job", "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await page.getByRole("link", { name: "Safety" }).click();
  await page.getByRole("button", { name: "Make the release" }).click();
  await page.locator("h1", { hasText: "Will you send this?" }).waitFor();
  await page.locator(".lattice .chosen").first().hover();
  await picture("lattice");
  const slow = "input = 'hospital.csv'\noutput = 'r.csv'\n[columns]\nbirth_date = { role = 'quasi' }\nsex = { role = 'quasi' }\n'*' = { role = 'identifier' }\n[privacy]\nk = 5\n[search]\nalgorithm = 'sequential'\nimprove_seconds = 600\n";
  writeFileSync(join(home, "job.toml"), slow);
  await page.goto(server.origin);
  await page.setInputFiles("#job", join(home, "job.toml"));
  await click("Open the job", "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await page.getByRole("link", { name: "Safety" }).click();
  await click("Make the release", "We are making your release");
  await page.locator("[data-phase=search][aria-current]").waitFor();
  await picture("running");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator("h1", { hasText: "You stopped this run" }).waitFor();
  await picture("stopped");
  await page.goto(server.origin);
  await click("Use ragged.csv", "Is this your table?");
  await page.locator(".failure").waitFor();
  await picture("fault");
  await page.goto(server.origin);
  await picture("start-again");
  console.log(`pictures: in ${out}`);
} finally {
  await browser.close();
  await server.kill();
}
