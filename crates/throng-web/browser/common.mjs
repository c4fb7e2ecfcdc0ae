// What the scripts share: a browser without a network, folders of their own, and steps of the way.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** How long a page may take, on a machine that has other work. */
const PATIENCE = 120_000;

/** Starts Chromium by Playwright, which is found among these modules. */
export async function launch(chromium, modules) {
  const { chromium: browsers } = createRequire(join(modules, "package.json"))("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return browsers.launch({ executablePath: chromium, args });
}

/** Pages of one visitor, and what their consoles complain of: whatever the content policy forbids, too. */
export async function visitor(browser) {
  const context = await browser.newContext({ acceptDownloads: true });
  context.setDefaultTimeout(PATIENCE);
  const complaints = [];
  const open = async () => {
    const page = await context.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(String(error)));
    return page;
  };
  return { context, open, complaints };
}

/** A folder that is gone at the end. */
export function temporary() {
  const home = mkdtempSync(join(tmpdir(), "throng-browser-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** People whose cells can be told from all other text. */
export function people(rows) {
  const all = Array.from({ length: rows }, (_, row) => `name-${row},town-${row % 5},${20 + (row % 45)},illness-${row % 4}`);
  return `name,town,age,illness\n${all.join("\n")}\n`;
}

/** Waits for the page that asks this. */
export const heading = (page, text) => page.locator("h1", { hasText: text }).waitFor();

/** Gives a column a role on the page about columns. */
export const choose = (page, name, role) => page.getByRole("radiogroup", { name, exact: true }).getByLabel(role).check({ force: true });

/** Goes from a table that was read to the questions about safety, with these roles. */
export async function answer(page, roles) {
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await heading(page, "What could others know?");
  for (const [name, role] of Object.entries(roles)) await choose(page, name, role);
  await page.getByLabel("Every row is a different person").check();
  await page.getByRole("button", { name: "Next: how much detail" }).click();
  await page.getByRole("link", { name: "Next: how safe" }).click();
  await heading(page, "How safe must it be?");
}

/** Downloads what a link of a result is of; its path. */
export async function take(page, name, home) {
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name, exact: false }).first().click();
  const path = join(home, `${name}.taken`);
  await (await download).saveAs(path);
  return path;
}

/** The release of a result, which the command makes of the downloaded job byte for byte. */
export async function sameBytes(page, home, binary, environment = {}) {
  const release = readFileSync(await take(page, "Release", home));
  const jobs = mkdtempSync(join(home, "elsewhere-"));
  writeFileSync(join(jobs, "job.toml"), readFileSync(await take(page, "Job for IT", home)));
  const ran = spawnSync(binary, ["anonymize", "job.toml"], { cwd: jobs, encoding: "utf8", env: { ...process.env, ...environment } });
  assert.equal(ran.status, 0, ran.stderr);
  const name = /output = .*"(release\.[a-z.]+)"/.exec(readFileSync(join(jobs, "job.toml"), "utf8"))?.[1] ?? "release.csv";
  assert.ok(readFileSync(join(jobs, name)).equals(release), `${name} is not the release of the page`);
  return release;
}

/** A folder below another one. */
export function folderIn(home, name) {
  mkdirSync(join(home, name));
  return join(home, name);
}
