// Tables of all kinds, and what is wrong with some: a sheet of a workbook is chosen, a table of the database is named, and
// each fault of a file stands where it belongs.
//
//   node tables.mjs target/debug/throng /usr/bin/chromium node_modules WORKBOOK [TABLE]
//
// WORKBOOK has the sheets Notes and People. TABLE is one of the database that libpq's variables name.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, folderIn, heading, launch, people, sameBytes, temporary, visitor } from "./common.mjs";
import { start } from "./server.mjs";

const [binary, chromium, modules, workbook, relation] = process.argv.slice(2);
const ROLES = { name: "Remove", town: "Others may know it", age: "Others may know it", illness: "Secret, but needed" };

const home = temporary();
const folder = folderIn(home, "served");
const server = await start(binary, folder);
const browser = await launch(chromium, modules);
const { open, complaints } = await visitor(browser);

try {
  const page = await open();
  await page.goto(server.url);
  await sheets(page);
  if (relation) await database(page);
  await faults(page);
  await answers(page);
  assert.deepEqual(complaints, []);
  console.log(relation ? "tables: passed" : "tables: passed, without a database");
} finally {
  await browser.close();
  await server.kill();
}

/** Drops a file onto the first page. */
async function drop(page, file) {
  await page.goto(server.origin);
  await page.setInputFiles("#table", file);
  await page.getByRole("button", { name: "Use this table" }).click();
}

/** Makes the release of a table that was read, and has it made again by the command. */
async function release(page) {
  await answer(page, ROLES);
  await page.getByRole("button", { name: "Make the release" }).click();
  await heading(page, "Will you send this?");
  const path = new URL(page.url()).pathname.split("/").pop() ?? "";
  return sameBytes(page, folderIn(home, path), binary);
}

async function sheets(page) {
  await drop(page, workbook);
  const fault = page.locator(".failure");
  await fault.getByText("Notes").waitFor();
  assert.ok((await fault.textContent())?.includes("People"), "both sheets are named");
  // One that is not there is asked for again.
  const sheet = page.getByLabel("Which sheet is it?", { exact: false });
  await sheet.fill("Persons");
  await page.getByRole("button", { name: "Read the table again like this" }).click();
  await fault.getByText("Persons").waitFor();
  await sheet.fill("People");
  await page.getByRole("button", { name: "Read the table again like this" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  assert.equal(await page.locator(".facts dd").first().textContent(), "120");
  assert.ok((await release(page)).subarray(0, 2).equals(Buffer.from("PK")), "the release is a workbook");
}

async function database(page) {
  await page.goto(server.origin);
  const name = page.getByLabel("A table of the database");
  await name.fill("no_such_table");
  await page.getByRole("button", { name: "Look at it" }).click();
  await page.locator(".failure").waitFor();
  await page.goto(server.origin);
  await name.fill(relation);
  await page.getByRole("button", { name: "Look at it" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  assert.ok(!(await page.content()).includes("name-1"), "no cell of the database before the switch");
  assert.equal(await page.getByText("What separates two cells?").count(), 0, "a database has no separators");
  const released = (await release(page)).toString("utf8");
  assert.ok(released.startsWith("town,age,illness\n") && !released.includes("name-"), released.slice(0, 80));
}

/** What is wrong with a file stands on the page about its table, with the file and the place. */
async function faults(page) {
  const text = (/** @type {string} */ text) => Buffer.from(text, "latin1");
  /** @type {[string, Buffer, Record<string, string | RegExp>][]} */
  const all = [
    ["ragged.csv", text("a,b\n1,2\n3\n4,5\n"), { Row: "2" }],
    ["quote.csv", text('a,b\n1,2\n"3,4\n5,6\n'), { says: /quote/ }],
    ["twice.csv", text("a,a\n1,2\n3,4\n"), { says: /columns 1 and 2 have the same name/ }],
    ["letters.csv", text("id,place\n1,caf\xff\xfe\xfa\n2,x\x81\x8d\n3,y\n"), { says: /encod|UTF-8/ }],
    ["doubt.csv", text("a,b\nc,d\ne,f\n"), { says: /column names or data/ }],
    ["empty.csv", text(""), { says: /empty/ }],
    ["header.csv", text("name,age,town\n"), { says: /header|row/ }],
    ["broken.csv.gz", text("\x1f\x8bnonsense"), { says: /gzip|compress/i }],
    ["broken.parquet", text("PAR1nonsense"), { says: /Parquet/i }],
    ["text.parquet", text("a,b\n1,2\n3,4\n"), { says: /Parquet/i }],
    ["broken.arrow", text("ARROW1nonsense"), { says: /Arrow/i }],
    ["broken.xlsx", text("PK\x03\x04nonsense"), { says: /workbook|xlsx|Excel|archive/i }],
    ["broken.jsonl", text('{"a": 1}\n{"a": \n{"a": 2}\n'), { Row: "2" }],
  ];
  for (const [name, buffer, places] of all) {
    await drop(page, { name, mimeType: "application/octet-stream", buffer });
    await heading(page, "Is this your table?");
    const fault = page.locator(".failure");
    await fault.waitFor();
    const shown = (await fault.textContent()) ?? "";
    assert.ok(shown.includes(name), `${name}: the fault does not say in which file it is: ${shown}`);
    assert.equal(await page.getByRole("link", { name: "Yes, this is my table" }).count(), 0, name);
    for (const [place, value] of Object.entries(places)) {
      if (place === "says") assert.match(shown, value, name);
      else assert.ok(shown.includes(`${place}${value}`), `${name}: ${shown}`);
    }
  }
  // Where it is not clear, an answer is enough.
  await drop(page, { name: "doubt.csv", mimeType: "text/csv", buffer: text("a,b\nc,d\ne,f\n") });
  await page.locator(".failure").waitFor();
  await page.getByLabel("Where are the column names?").selectOption("yes");
  await page.getByRole("button", { name: "Read the table again like this" }).click();
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  // What is no table at all is refused where it was dropped, and the page stays.
  await drop(page, { name: "notes.pdf", mimeType: "application/pdf", buffer: text("%PDF") });
  await page.locator(".drop [role=alert]", { hasText: "must end in" }).waitFor();
  complaints.length = 0;
}

/** A wrong answer is named at the question, and what was answered before stays. */
async function answers(page) {
  await drop(page, { name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(people(60)) });
  await page.getByRole("link", { name: "Yes, this is my table" }).waitFor();
  const draft = new URL(page.url()).pathname.replace("/table", "");
  // Read with the wrong separator, and set right again.
  await page.getByLabel("What separates two cells?").selectOption(";");
  await page.getByRole("button", { name: "Read the table again like this" }).click();
  await page.waitForFunction(() => document.querySelector(".failure") || document.querySelector(".facts div:last-child dd")?.textContent === "1");
  await page.getByLabel("What separates two cells?").selectOption("");
  await page.getByRole("button", { name: "Read the table again like this" }).click();
  await page.locator(".facts div:last-child dd", { hasText: "4" }).waitFor();
  await answer(page, ROLES);
  await page.goto(`${server.origin}${draft}/detail`);
  const age = page.locator("details", { has: page.locator("summary h2", { hasText: /^age$/ }) });
  if (!(await age.evaluate((details) => /** @type {HTMLDetailsElement} */ (details).open))) await age.locator("summary").click();
  await age.getByLabel("How the steps are made").selectOption("intervals");
  await age.locator("input[name=widths]").fill("5, 7");
  await age.getByRole("button", { name: "Make these steps" }).click();
  await age.locator(".failure").waitFor();
  assert.equal(await page.locator(".failure").count(), 1, "only this column has a fault");
  await page.goto(`${server.origin}${draft}/safety`);
  await page.getByLabel("No, and we have a list of all who could be in it").check();
  writeFileSync(join(folder, "other.csv"), "x,y\n1,2\n3,4\n");
  await page.reload();
  await page.getByLabel("No, and we have a list of all who could be in it").check();
  await page.getByLabel("The list: a table in this folder", { exact: false }).selectOption("other.csv");
  await page.getByRole("button", { name: "Make the release" }).click();
  await page.locator(".failure").waitFor();
  await heading(page, "How safe must it be?");
  complaints.length = 0;
}
