// What happens while one types: runs, dimmed results, mends, the view that fits, marks of time, links.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startStudio, text, type } from "./harness.mjs";

const PENDULUM = `system "Pendulum"
parameter m = 1 {kg}, l = 1 {m}, g = 9.81 {m/s^2}
coordinate theta {rad}
let P = [l*sin(theta), -l*cos(theta)]
kinetic m/2*dot(P', P')
potential m*g*P.y
initial theta = 1 {rad}
draw line [0 {m}, 0 {m}], P
draw point P
simulate until 10 {s}`;

const SHAPES = `system "Shapes"
gravity [0, 0, -9.81]
body arm: cylinder 1 radius 0.06 from [0, 0, 0] to [0.8, 0, 0]
body fore: box 1 size [0.6, 0.15, 0.1] at [0.3, 0, 0]
body head: ball 0.5 radius 0.2
joint a: pin ground to arm, axis [0, 1, 0]
joint b: pin arm at [0.8, 0, 0] to fore, axis [0, 0, 1]
joint c: ball fore at [0.6, 0, 0] to head at [0, 0, 0.12]
initial a = 0.5
simulate until 2`;

let studio, browser;
before(async () => {
  [studio, browser] = await Promise.all([startStudio(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

const reached = (page, t) => page.waitForFunction((t) => document.querySelector("#summary").textContent.startsWith(`Reached t = ${t} `), t);
const size = (page) => page.evaluate(() => Number(document.querySelector(".dal-player").dataset.size));

test("the model runs as it is typed, and newer text takes the place of older", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const runs = [];
  page.on("request", (r) => r.url().endsWith("/api/run") && runs.push(JSON.parse(r.postData()).text));
  await type(page, PENDULUM);
  await reached(page, 10);
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  for (let k = 0; k < 5; k++) await page.keyboard.press("ArrowLeft");
  const before = runs.length;
  await page.keyboard.type("0000", { delay: 15 });
  for (let k = 0; k < 5; k++) await page.keyboard.press("Backspace", { delay: 15 });
  await page.keyboard.type(" tolerance 1e-6", { delay: 15 });
  await page.keyboard.press("Control+z");
  await page.waitForFunction(() => !document.body.classList.contains("running"));
  assert.ok(runs.length - before < 10, `${runs.length - before} runs for 25 keys`);
  await type(page, PENDULUM.replace("until 10", "until 3"));
  await reached(page, 3);
  assert.match(runs.at(-1), /until 3/);
  await page.click("#typed");
  await type(page, PENDULUM.replace("until 10", "until 4"));
  await page.waitForTimeout(800);
  assert.doesNotMatch(runs.at(-1), /until 4/, "switched off, it waits for Run");
  await page.click("#run");
  await reached(page, 4);
  await close();
});

test("what is old is dimmed while the text is wrong, and a button mends it", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, PENDULUM.replace("cos(theta)]", "cos(thta)]"));
  await page.waitForSelector("#motion.outdated");
  const opacity = await page.evaluate(() => Number(getComputedStyle(document.querySelector("#player")).opacity));
  assert.ok(opacity < 0.6, `opacity ${opacity}`);
  await page.click("#problems .fix");
  await page.waitForSelector("#motion:not(.outdated)");
  await reached(page, 10);
  assert.match(await text(page), /cos\(theta\)\]/);
  await close();
});

test("the view fits another text and stays for a slider", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, PENDULUM);
  await page.waitForFunction(() => document.querySelector(".dal-parameters")?.textContent.includes("l = 1 m,"));
  await page.waitForSelector('.slider[data-name="l"]');
  const whole = await size(page);
  await page.locator('.slider[data-name="l"] input[type=range]').evaluate((bar) => {
    bar.value = "0.5";
    bar.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await page.waitForFunction(() => document.querySelector(".dal-parameters")?.textContent.includes("l = 0.5"));
  assert.equal(await size(page), whole, "a slider leaves the view");
  await page.click("#reset");
  await page.waitForFunction(() => document.querySelector(".dal-parameters")?.textContent.includes("l = 1"));
  await type(page, PENDULUM.replace("l = 1", "l = 0.5"));
  await page.waitForFunction((whole) => Math.abs(Number(document.querySelector(".dal-player").dataset.size) / whole - 0.5) < 0.05, whole);
  await close();
});

test("plots have units, a mark of time and as many pixels as the screen; any column goes over any", async () => {
  const { page, close } = await openPage(browser, studio.address, { deviceScaleFactor: 2 });
  await type(page, PENDULUM);
  await reached(page, 10);
  await page.click(".dal-play");
  const go = (part) => page.locator(".dal-scrub").evaluate((bar, part) => {
    bar.value = String(part);
    bar.dispatchEvent(new Event("input", { bubbles: true }));
  }, part);
  await go(0.5);
  const mark = () => page.evaluate(() => {
    const over = document.querySelector("#plots .u-over");
    return document.querySelector("#plots .time-mark").getBoundingClientRect().x - over.getBoundingClientRect().x;
  });
  const [half, width] = [await mark(), await page.evaluate(() => document.querySelector("#plots .u-over").clientWidth)];
  assert.ok(Math.abs(half / width - 0.5) < 0.02, `${half} of ${width}`);
  const dot = await page.getAttribute("#phase-plot", "data-at");
  await go(0.53);
  assert.ok((await mark()) > half);
  assert.notEqual(await page.getAttribute("#phase-plot", "data-at"), dot);
  await page.selectOption("#phase-x", "t");
  await page.selectOption("#phase-y", "theta");
  assert.equal(await page.getAttribute("#phase-plot", "aria-label"), "theta [rad] over t [s]");
  const sharp = await page.evaluate(() => [...document.querySelectorAll("#plots canvas, #player canvas")].map((c) => c.width / c.clientWidth));
  assert.ok(sharp.every((ratio) => Math.abs(ratio - 2) < 0.02), sharp.join(" "));
  assert.match(await page.textContent('.slider[data-name="l"] .slider-name'), /l m/);
  await close();
});

test("sliders have ranges that can be changed", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await page.click('.slider[data-name="g"] .slider-name');
  const ends = page.locator('.slider[data-name="g"] .slider-range input');
  await ends.nth(1).fill("30");
  await ends.nth(1).press("Tab");
  assert.equal(await page.getAttribute('.slider[data-name="g"] input[type=range]', "max"), "30");
  await ends.nth(0).fill("40");
  await ends.nth(0).press("Tab");
  assert.equal(await ends.nth(0).getAttribute("aria-invalid"), "true");
  await close();
});

test("long equations break inside their brackets and are copied as LaTeX", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await page.click('.wide-tabs [data-view="equations"]');
  await page.selectOption("#form", "explicit");
  await page.waitForFunction(() => document.querySelectorAll(".equation").length === 2 && !document.querySelector("#written.busy"));
  const wide = await page.evaluate(() => [...document.querySelectorAll(".equation")].map((e) => [e.scrollWidth - e.clientWidth, e.clientHeight]));
  for (const [over, high] of wide) assert.ok(over <= 1 && high > 60, `${over} pixels too wide, ${high} high`);
  assert.equal(await page.locator(".katex-error").count(), 0);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.click("#copy-latex");
  await page.waitForSelector("#copied:has-text('All equations copied')");
  assert.match(await clipboard(), /\\begin\{aligned\}[\s\S]*\\ddot\{\\theta\}_\{2\}/);
  await page.click(".equation-row .copy >> nth=0");
  await page.waitForSelector("#copied:has-text('Equation copied')");
  assert.match(await clipboard(), /^\\ddot\{\\theta\}_\{1\} = \\frac/);
  await close();
});

test("a link holds the model, and one file computes by itself", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const mine = PENDULUM + "\n# für alle: θ";
  await type(page, mine);
  await page.click("#share");
  await page.waitForSelector("#share-link");
  const link = await page.inputValue("#share-link");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  assert.ok(link.length < 600, `${link.length} characters`);
  const other = await openPage(browser, studio.address, { at: link.slice(link.indexOf("#") - (studio.address.endsWith("/") ? 0 : 1)) });
  assert.equal(await text(other.page), mine);
  assert.ok(!other.page.url().includes("#model"), other.page.url());
  await other.close();
  await page.click('.wide-tabs [data-view="export"]');
  const [download] = await Promise.all([page.waitForEvent("download"), page.click('[data-what="live"]')]);
  const live = readFileSync(await download.path(), "utf8");
  assert.ok(live.includes("wasm-unsafe-eval") && live.length < 400_000, `${live.length} bytes`);
  await close();
});

test("bodies are shown as solids", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, SHAPES);
  await reached(page, 2);
  await page.click(".dal-play");
  const coloured = await page.evaluate(() => {
    const canvas = document.querySelector("#player canvas");
    const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    const seen = new Set();
    let count = 0;
    for (let k = 0; k < data.length; k += 4) {
      const [r, g, b] = [data[k], data[k + 1], data[k + 2]];
      if (data[k + 3] < 250 || Math.max(r, g, b) - Math.min(r, g, b) < 30) continue;
      count++;
      seen.add((r << 16) | (g << 8) | b);
    }
    return [count, seen.size];
  });
  assert.ok(coloured[0] > 2000 && coloured[1] > 100, `${coloured[0]} pixels in ${coloured[1]} shades`);
  await close();
});
