// The questions beside the motion: poles, Bode plots, equilibria, sweeps, comparisons, the report.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startStudio, type } from "./harness.mjs";

const SPRING = `system "Spring"
parameter m = 2, k = 8, c = 0.4
input u = 0
coordinate x
kinetic m/2*x'^2
potential k/2*x^2
force x = u - c*x'
output y = x
initial x = 1
simulate until 3`;

let studio, browser;
before(async () => {
  [studio, browser] = await Promise.all([startStudio(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

async function spring() {
  const opened = await openPage(browser, studio.address);
  await type(opened.page, SPRING);
  await opened.page.waitForFunction(() => document.querySelector("#summary").textContent.startsWith("Reached t = 3 "));
  await opened.page.click('.wide-tabs [data-view="study"]');
  return opened;
}

test("poles have frequency and damping, and outputs answer inputs", async () => {
  const { page, close } = await spring();
  await page.click("#ask-linear");
  await page.waitForSelector("#linear-answer table");
  const said = await page.textContent("#linear-answer");
  // Undamped 2 rad/s; c / (2 sqrt(k m)) = 0.05.
  assert.match(said, /asymptotically stable/);
  assert.match(said, /0\.31831/);
  assert.match(said, /0\.05/);
  assert.equal(await page.locator("#linear-answer .pole").count(), 2);
  assert.equal(await page.locator("#linear-answer .curve").count(), 2, "magnitude and phase");
  await close();
});

test("equilibria, a sweep and every comparison", async () => {
  const { page, close } = await spring();
  await page.click("#ask-equilibria");
  await page.waitForSelector("#equilibria-answer td:has-text('asymptotically stable')");
  await page.selectOption("#sweep-vary", "c");
  await page.selectOption("#sweep-figure", "min");
  await page.selectOption("#sweep-column", "x");
  await page.fill("#sweep-count", "9");
  await page.click("#ask-sweep");
  const curve = await page.waitForSelector("#sweep-answer .curve");
  assert.equal((await curve.getAttribute("d")).split(/[ML]/).length - 1, 9);
  await page.fill("#sweep-count", "5000");
  await page.click("#ask-sweep");
  await page.waitForSelector("#sweep-answer .failure:has-text('2 to 200')");
  await page.click("#ask-verify");
  await page.waitForSelector("#verify-answer:has-text('passed')");
  assert.equal(await page.locator("#verify-answer td:has-text('FAILED')").count(), 0);
  await close();
});

test("the report is written and follows the text", async () => {
  const { page, close } = await spring();
  await page.click('.wide-tabs [data-view="report"]');
  const report = page.frameLocator("iframe.report");
  await report.locator("h1:has-text('Spring')").waitFor();
  await type(page, SPRING.replace('"Spring"', '"Another"'));
  await report.locator("h1:has-text('Another')").waitFor();
  await close();
});
