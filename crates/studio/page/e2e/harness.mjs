// The real program and a real browser. Whatever the page says on its console, and any request elsewhere, is a failure.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const HERE = dirname(fileURLToPath(import.meta.url));
export const ROOT = resolve(HERE, "../../../..");

const NAMES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** The browser: `CHROMIUM`, or where systems put it. */
function browserPath() {
  const found = [process.env.CHROMIUM, ...NAMES].find((path) => path && existsSync(path));
  assert.ok(found, "Chromium was not found: install it, or set CHROMIUM to its path");
  return found;
}

/** The program: `DALEMBERT`, or the newest build of this clone. */
export function programPath() {
  const target = process.env.CARGO_TARGET_DIR ?? join(ROOT, "target");
  const builds = ["release", "debug"].map((kind) => join(target, kind, "dalembert")).filter((path) => existsSync(path));
  builds.sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  const found = process.env.DALEMBERT ?? builds[0];
  assert.ok(found, "the program was not found: run `cargo build`, or set DALEMBERT to its path");
  return found;
}

/** Starts the studio on an empty folder. */
export async function startStudio(...options) {
  const folder = mkdtempSync(join(tmpdir(), "dalembert-e2e-"));
  const child = spawn(programPath(), ["studio", folder, "--port", "0", ...options], { stdio: ["ignore", "pipe", "inherit"] });
  const address = await new Promise((found, failed) => {
    createInterface({ input: child.stdout }).once("line", found);
    child.once("exit", (code) => failed(new Error(`the studio ended with ${code}`)));
  });
  const stop = async () => {
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGINT");
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { address, folder, stop };
}

export function startBrowser() {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath: browserPath(), args });
}

/** A page of its own, watched; `complaints` must be empty at the end. */
export async function openPage(browser, address, { width = 1280, height = 800, colorScheme = "light", deviceScaleFactor = 1, at = "" } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, deviceScaleFactor, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    // The browser logs every answer that is not a success; a conflict is one that is asked for.
    const conflict = message.text().includes("status of 409");
    if (["error", "warning"].includes(message.type()) && !conflict) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(address)) complaints.push(`asked ${request.url()}`);
  });
  page.setDefaultTimeout(20_000);
  await page.goto(address + at);
  await page.waitForSelector("text=Reached t =");
  const close = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  return { page, complaints, close };
}

/** Replaces the text of the editor as a typist would. */
export async function type(page, text) {
  await page.click(".cm-content");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}

export const text = (page) => page.evaluate(() => [...document.querySelectorAll(".cm-line")].map((line) => line.textContent).join("\n"));
