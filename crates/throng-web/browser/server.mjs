// A server of a test's own, that can be killed and started again at the same port.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Starts `throng serve`, and waits for the address that it prints. */
export async function start(binary, folder, port = 0) {
  const child = spawn(binary, ["serve", folder, "--listen", `127.0.0.1:${port}`], { stdio: ["ignore", "pipe", "inherit"] });
  const started = performance.now();
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
  });
  const kill = () =>
    new Promise((resolve) => {
      child.once("exit", resolve);
      child.kill("SIGKILL");
    });
  return { url, port: Number(new URL(url).port), origin: new URL(url).origin, milliseconds: performance.now() - started, kill };
}
