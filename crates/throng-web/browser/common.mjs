// What the scripts share: a browser without a network, and folders of their own.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Starts Chromium by Playwright, which is found among these modules. */
export async function launch(chromium, modules) {
  const { chromium: browsers } = createRequire(join(modules, "package.json"))("playwright-core");
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return browsers.launch({ executablePath: chromium, args });
}

/** A folder that is gone at the end. */
export function temporary() {
  const home = mkdtempSync(join(tmpdir(), "throng-browser-"));
  process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  return home;
}
