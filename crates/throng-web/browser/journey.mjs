// The whole way from a dropped table to a downloaded release, in a real browser: by mouse, by keyboard alone, with axe-core,
// two tabs, a reload in the middle, and a server that is killed and started again.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { choose, heading, launch, people, sameBytes, take, temporary, visitor } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules] = process.argv.slice(2);
const axe = readFileSync(createRequire(join(modules, "package.json")).resolve("axe-core/axe.min.js"), "utf8");

const home = temporary();
const folder = join(home, "served");
mkdirSync(folder);
const table = join(home, "people.csv");
writeFileSync(table, people(400));

let server = await start(binary, folder);
const browser = await launch(chromium, modules);
const { context, open, complaints } = await visitor(browser);

/** No finding that keeps somebody out, in light and in dark; what is folded up is opened. */
async function isAccessible(page, name) {
  // By the protocol of the browser, past the policy, which lets no script of others in.
  const session = await context.newCDPSession(page);
  const run = async (expression) => (await session.send("Runtime.evaluate", { expression, awaitPromise: true })).result.value;
  await run(axe);
  await run("document.querySelectorAll('details').forEach((details) => (details.open = true))");
  for (const colorScheme of /** @type {const} */ (["dark", "light"])) {
    await page.emulateMedia({ colorScheme });
    const found = JSON.parse(await run("axe.run().then((found) => JSON.stringify(found.violations))"));
    const serious = found.filter((one) => ["serious", "critical"].includes(one.impact));
    assert.deepEqual(serious.map((one) => [one.id, one.nodes.map((node) => node.html).slice(0, 3)]), [], `${name}, ${colorScheme}`);
  }
  await session.detach();
}

try {
  // By mouse, from a dropped table.
  const page = await open();
  await page.goto(server.url);
  assert.ok(!page.url().includes("token"), "the token is not in the address any more");
  await isAccessible(page, "start");
  await page.setInputFiles("#table", table);
  await page.getByRole("button", { name: "Use this table" }).click();
  await heading(page, "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  await isAccessible(page, "table");
  assert.ok(!(await page.content()).includes("name-1"), "no original cell before the switch");
  await page.getByRole("button", { name: "Show original cells" }).click();
  await page.getByText("name-1", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Cover them again" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await heading(page, "What could others know?");
  await isAccessible(page, "columns");
  const draft = new URL(page.url()).pathname.split("/")[2];

  // A click is kept at once, and another tab sees it.
  for (const [name, role] of [["name", "Remove"], ["town", "Others may know it"], ["age", "Others may know it"]]) await choose(page, name, role);
  await page.getByLabel("Every row is a different person").check();
  for (const role of ["Harmless", "Secret, but needed"]) {
    const saved = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.request().postData()?.includes(role === "Harmless" ? "role-3=other" : "role-3=sensitive"));
    await choose(page, "illness", role);
    assert.equal((await saved).status(), 204);
  }
  await page.locator("#said", { hasText: "Saved." }).waitFor({ state: "attached" });
  const other = await open();
  await other.goto(`${server.origin}/drafts/${draft}/columns`);
  assert.ok(await other.getByRole("radiogroup", { name: "illness", exact: true }).getByLabel("Secret, but needed").isChecked());
  await other.close();

  // A reload, and a server that is killed and started again, lose nothing.
  await page.reload();
  assert.ok(await page.getByRole("radiogroup", { name: "illness", exact: true }).getByLabel("Secret, but needed").isChecked());
  await server.kill();
  server = await start(binary, folder, server.port);
  await page.goto(server.url);
  await page.getByRole("link", { name: /^Continue/ }).first().click();
  await page.getByRole("link", { name: "Columns" }).click();
  assert.ok(await page.getByRole("radiogroup", { name: "illness", exact: true }).getByLabel("Secret, but needed").isChecked());
  complaints.length = 0;

  await page.getByRole("button", { name: "Next: how much detail" }).click();
  await heading(page, "How much detail must stay?");
  await page.getByRole("button", { name: "Show original cells" }).click();
  await isAccessible(page, "detail");
  await drags(page);
  await page.getByRole("button", { name: "Cover them again" }).click();
  await page.getByRole("link", { name: "Next: how safe" }).click();
  await heading(page, "How safe must it be?");
  await page.getByRole("button", { name: "Show what each answer costs" }).click();
  await page.locator("#front svg").waitFor();
  await isAccessible(page, "safety");
  // The picture is pointed at, walked along by keys, and chosen from.
  const marks = page.locator("#front .mark");
  await marks.first().hover();
  const [first, last] = [await marks.first().getAttribute("aria-label"), await marks.last().getAttribute("aria-label")];
  await page.locator("#front [data-pointed]", { hasText: first ?? "?" }).waitFor();
  await marks.first().focus();
  await page.keyboard.press("End");
  await page.locator("#front [data-pointed]", { hasText: last ?? "?" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("#front .mark.now").waitFor();
  assert.equal(await page.locator("#front .mark.now").getAttribute("aria-label"), last);
  await page.getByLabel("1 in 5", { exact: false }).first().check();
  // What depends on the answers is shown anew, without a click, and a reload loses none of them.
  await page.locator("#asked", { hasText: "at least 4 others" }).waitFor();
  const kept = page.waitForResponse((answer) => answer.request().method() === "POST" && answer.request().postData()?.includes("again=yes"));
  await page.getByLabel("Yes: make it the same way each time").check({ force: true });
  assert.equal((await kept).status(), 204);
  await page.reload();
  assert.ok(await page.getByLabel("Yes: make it the same way each time").isChecked());
  await page.getByRole("button", { name: "Make the release" }).click();
  await heading(page, "Will you send this?");
  await isAccessible(page, "result");
  assert.ok(!(await page.content()).includes("name-1"));
  await page.getByRole("button", { name: "Attack the release" }).click();
  await page.getByText("Nobody was found").waitFor();
  await page.getByRole("button", { name: "Let them learn" }).click();
  await page.getByText("always the most frequent answer").waitFor();
  await page.locator(".crowds .point").first().hover();
  await page.locator(".crowds [data-pointed]", { hasText: "rows: town" }).waitFor();
  await isAccessible(page, "result with all that was asked for");

  assert.ok(readFileSync(await take(page, "Report", home), "utf8").includes("May we release"));
  const release = (await sameBytes(page, home, binary)).toString("utf8");
  assert.ok(release.startsWith("town,age,illness\n"), release.slice(0, 80));
  // What was kept for the next delivery makes this one again.
  const recoding = join(folder, ".throng", new URL(page.url()).pathname, "recoding.json");
  const again = spawnSync(binary, ["apply", recoding, table, "-o", join(home, "again.csv")], { encoding: "utf8" });
  assert.equal(again.status, 0, again.stderr);
  assert.equal(readFileSync(join(home, "again.csv"), "utf8"), release);

  // By keyboard alone, from the same table.
  await byKeyboard(await open());
  await isKilled(await open());
  await otherPages(await open());

  // A narrow screen needs no scrolling sideways.
  await page.setViewportSize({ width: 390, height: 800 });
  const result = new URL(page.url()).pathname;
  for (const path of ["/", `/drafts/${draft}/table`, `/drafts/${draft}/columns`, `/drafts/${draft}/detail`, `/drafts/${draft}/safety`, result]) {
    await page.goto(server.origin + path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${path} is ${wide} pixels too wide`);
  }
  assert.deepEqual(complaints, []);
  console.log("journey: passed");
} finally {
  await browser.close();
  await server.kill();
}

/** A value is dragged into another group, and the change is taken back. */
async function drags(page) {
  const column = page.locator("details", { has: page.locator("summary h2", { hasText: /^age$/ }) });
  const lines = () => column.locator("label[data-label]").evaluateAll((all) => all.map((line) => `${line.dataset.level}:${line.dataset.label}`));
  const before = await lines();
  const groups = before.filter((line) => line.startsWith("1:"));
  assert.ok(groups.length > 1, before.join(" "));
  // Both are in view: the tree scrolls within a frame of its own.
  const next = groups[1];
  const line = (name) => column.locator(`label[data-level="${name[0]}"][data-label="${name.slice(2)}"]`);
  await line("0:20").dragTo(line(next));
  await column.getByRole("button", { name: "Undo the last change" }).waitFor();
  const after = await lines();
  assert.ok(after.indexOf("0:20") > after.indexOf(next), after.join(" "));
  await column.getByRole("button", { name: "Undo the last change" }).click();
  await page.waitForFunction(() => !document.querySelector("button[value=undo]"));
  assert.deepEqual(await lines(), before);
}

/** A server that is killed in the middle of a run leaves nothing half done, and says so when it is started again. */
async function isKilled(page) {
  const job = `input = 'people.csv'\noutput = 'r.csv'\n[privacy]\nk = 5\n[search]\nalgorithm = 'agglomerative'\n
    [columns]\nname = { role = 'identifier' }\ntown = { role = 'quasi' }\nage = { role = 'quasi' }\nillness = { role = 'other' }\n`;
  // Pairs of so many different tuples take minutes.
  const many = Array.from({ length: 60_000 }, (_, row) => `name-${row},town-${row % 5},${20 + row},illness-${row % 4}`);
  writeFileSync(join(folder, "people.csv"), `name,town,age,illness\n${many.join("\n")}\n`);
  writeFileSync(join(home, "job.toml"), job);
  await page.goto(`${server.origin}/`);
  await page.setInputFiles("#job", join(home, "job.toml"));
  await page.getByRole("button", { name: "Open the job" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await page.getByRole("link", { name: "Safety" }).click();
  await page.getByRole("button", { name: "Make the release" }).click();
  await heading(page, "We are making your release");
  await page.locator("[data-phase=search][aria-current]").waitFor();
  await isAccessible(page, "running");
  // Another click is answered meanwhile, and the run can be found again.
  const run = new URL(page.url()).pathname;
  await page.goto(`${server.origin}/`);
  await page.getByText("is being made").waitFor();
  await server.kill();
  server = await start(binary, folder, server.port);
  await page.goto(server.url);
  await page.getByText("the server stopped before it had finished").waitFor();
  await page.goto(server.origin + run);
  await page.getByText("Your decisions are still there.").waitFor();
  await isAccessible(page, "interrupted");
  const left = readdirSync(join(folder, ".throng", run)).filter((name) => name.startsWith("release") || name.startsWith(".throng-"));
  assert.deepEqual(left, []);
  await page.getByRole("button", { name: "Change your answers" }).first().click();
  await heading(page, "What could others know?");
  complaints.length = 0;
  await page.close();
}

/** Pages beside the way: they too let everybody in. */
async function otherPages(page) {
  await page.goto(`${server.origin}/`);
  await isAccessible(page, "start with runs");
  await page.goto(`${server.origin}/runs/0123456789abcdef`);
  await isAccessible(page, "nothing there");
  writeFileSync(join(folder, "ragged.csv"), "a,b\n1,2\n3\n4,5\n");
  await page.goto(`${server.origin}/`);
  await page.getByRole("button", { name: "Use ragged.csv" }).click();
  await page.locator(".failure dd", { hasText: "2" }).waitFor();
  await isAccessible(page, "a table that is not read");
  writeFileSync(join(folder, "people.csv"), readFileSync(table));
  writeFileSync(join(home, "job.toml"), `input = 'people.csv'\noutput = 'r.csv'\n[privacy]\nk = 350\n[columns]\nname = { role = 'identifier' }
    town = { role = 'quasi', max_level = 0 }\nage = { role = 'quasi' }\nillness = { role = 'other' }\n`);
  await page.goto(`${server.origin}/`);
  await page.setInputFiles("#job", join(home, "job.toml"));
  await page.getByRole("button", { name: "Open the job" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).click();
  await page.getByRole("link", { name: "Safety" }).click();
  await page.getByRole("button", { name: "Make the release" }).click();
  await heading(page, "No release is possible");
  await isAccessible(page, "no release");
  await page.getByRole("button", { name: "Try this" }).first().click();
  await heading(page, "How safe must it be?");
  const strangers = await browser.newContext();
  const stranger = await strangers.newPage();
  await stranger.goto(`${server.origin}/`);
  await heading(stranger, "This page needs its key");
  await strangers.close();
  complaints.length = 0;
  await page.close();
}

/** Moves to what has this name by Tab alone. */
async function tabTo(page, name, role) {
  for (let at = 0; at < 200; at += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const at = document.activeElement;
      const label = at?.getAttribute("aria-label") ?? (/** @type {HTMLInputElement} */ (at)?.labels?.[0]?.textContent || at?.textContent) ?? "";
      return { name: label.trim(), role: at?.tagName };
    });
    if (focused.name.startsWith(name) && (!role || focused.role === role)) return;
  }
  assert.fail(`the keyboard does not reach ${name}`);
}

async function byKeyboard(page) {
  const press = (key) => page.keyboard.press(key);
  // From here on the browser hands over its choosers of files; a listener that comes with the key may be too late for it.
  page.on("filechooser", () => {});
  await page.goto(`${server.origin}/`);
  await tabTo(page, "Drop a table here", "INPUT");
  const chooser = page.waitForEvent("filechooser");
  await press("Space");
  await (await chooser).setFiles(table);
  await tabTo(page, "Use this table", "BUTTON");
  await press("Enter");
  await heading(page, "Is this your table?");
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  await tabTo(page, "Yes, this is my table", "A");
  await press("Enter");
  await heading(page, "What could others know?");
  // Arrows change an answer, as in all radios.
  await tabTo(page, "Remove", "INPUT");
  await press("ArrowRight");
  await press("ArrowLeft");
  await tabTo(page, "Next: how much detail", "BUTTON");
  await press("Enter");
  await heading(page, "How much detail must stay?");
  await tabTo(page, "Next: how safe", "A");
  await press("Enter");
  await heading(page, "How safe must it be?");
  await tabTo(page, "Make the release", "BUTTON");
  await press("Enter");
  await heading(page, "Will you send this?");
  const download = page.waitForEvent("download");
  await tabTo(page, "Release", "A");
  await press("Enter");
  assert.ok(readFileSync(await (await download).path(), "utf8").includes("town"));
  await page.close();
}
