// Ten runs at once, each from a tab of its own and with an answer of its own: none gets what another one asked for.
//
//   node many.mjs target/debug/throng /usr/bin/chromium node_modules
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, folderIn, heading, launch, people, sameBytes, temporary, visitor } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules] = process.argv.slice(2);
const CROWDS = Array.from({ length: 10 }, (_, at) => 4 + at);

const home = temporary();
const folder = folderIn(home, "served");
writeFileSync(join(folder, "people.csv"), people(400));
const server = await start(binary, folder);
const browser = await launch(chromium, modules);
const { open, complaints } = await visitor(browser);

try {
  const first = await open();
  await first.goto(server.url);
  await first.getByRole("button", { name: "Use people.csv" }).click();
  await answer(first, { name: "Remove", town: "Others may know it", age: "Others may know it", illness: "Secret, but needed" });
  const safety = first.url();
  const tabs = [first, ...(await Promise.all(CROWDS.slice(1).map(open)))];
  await Promise.all(
    tabs.map(async (page, at) => {
      await page.goto(safety);
      await page.locator("#k-other").check();
      await page.locator("input[name=other-k]").fill(String(CROWDS[at]));
    }),
  );
  await Promise.all(tabs.map((page) => page.getByRole("button", { name: "Make the release" }).click()));
  await Promise.all(tabs.map((page) => page.waitForURL("**/runs/*")));
  // Meanwhile another page is answered, and lists all of them.
  const start = await open();
  await start.goto(server.origin);
  assert.equal(await start.locator("section", { hasText: "Earlier runs" }).locator("tbody tr").count(), CROWDS.length);
  await Promise.all(tabs.map((page) => heading(page, "Will you send this?")));
  assert.equal(new Set(tabs.map((page) => page.url())).size, CROWDS.length);
  for (const [at, page] of tabs.entries()) {
    const place = folderIn(home, `run-${at}`);
    const release = (await sameBytes(page, place, binary)).toString("utf8");
    assert.ok(release.startsWith("town,age,illness\n"), release.slice(0, 60));
    const crowds = new Map();
    for (const line of release.trim().split("\n").slice(1)) {
      const shown = line.slice(0, line.lastIndexOf(","));
      crowds.set(shown, (crowds.get(shown) ?? 0) + 1);
    }
    const smallest = Math.min(...crowds.values());
    assert.ok(smallest >= CROWDS[at], `a crowd of ${smallest} where ${CROWDS[at]} were asked for`);
    assert.match(readFileSync(join(place, "Job for IT.taken"), "utf8"), new RegExp(`^k = ${CROWDS[at]}$`, "m"));
  }
  await start.reload();
  assert.equal(await start.getByRole("cell", { name: "released", exact: true }).count(), CROWDS.length);
  assert.deepEqual(complaints, []);
  console.log("many: passed");
} finally {
  await browser.close();
  await server.kill();
}
