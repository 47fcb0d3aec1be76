// Pages of `--plot FILE.html`: cursor, values, zoom, keys and fingers, without scripts, and what axe finds.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { programPath, startBrowser } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const CART = `system "Cart </script> & load"
parameter m = 2 {kg}, l = 80 {cm}, k = 30 {N/m}, c = 0.8 {N*s/m}
coordinate s {m}, phi {rad}
let P = [s + l*sin(phi), -l*cos(phi)]
kinetic m/2*s'^2 + m/2*(P.x'^2 + P.y'^2)
potential k/2*s^2 + m*9.81 {m/s^2}*P.y
dissipation c/2*s'^2
input pull = 0 {N}
force [pull, 0 {N}] at [s, 0]
output tip = P
initial phi = 60 {deg}
simulate until 10 every 0.01
`;
const INPUT = `parameter m = 1, c = 0.4, k = 9
coordinate x
kinetic m/2*x'^2
potential k/2*x^2
dissipation c/2*x'^2
input u = 0
force x = u
output y = x
simulate until 5
`;
const BEAD = `parameter W = 6
coordinate theta
kinetic (theta'^2 + W^2*sin(theta)^2)/2
potential -9.81*cos(theta)
simulate until 5
`;

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "dalembert-plots-"));
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

/** Runs the program on a model. */
function run(model, ...words) {
  const file = join(folder, "model.dal");
  writeFileSync(file, model);
  return execFileSync(programPath(), words.map((w) => (w === "MODEL" ? file : w)), { cwd: folder, encoding: "utf8" });
}

/** A page of a file, watched. */
async function open(name, { width = 1280, height = 900, colorScheme = "light", ...more } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...more });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (r) => r.url().startsWith("file:") || complaints.push(`asked ${r.url()}`));
  await page.goto(`file://${join(folder, name)}`);
  const close = async () => {
    assert.deepEqual(complaints, []);
    await context.close();
  };
  return { page, close };
}

const view = (page) => page.$eval(".dal-plot", (root) => [Number(root.dataset.from), Number(root.dataset.to)]);
const shown = (page) => page.$eval(".dal-plot", (root) => root.dataset.at);
const values = (page) => page.$$eval(".dal-key b", (all) => all.map((b) => b.textContent));

/** Rows of a CSV file by their heads. */
function table(name) {
  const [head, ...rows] = readFileSync(join(folder, name), "utf8").trim().split("\n").map((line) => line.split(","));
  return rows.map((row) => Object.fromEntries(head.map((key, k) => [key, Number(row[k])])));
}

test("the cursor shows rows of the table, drags and the wheel zoom all panels, keys do it too", async () => {
  run(CART, "simulate", "MODEL", "--plot", "cart.html", "--out", "cart.csv", "--quiet");
  assert.ok(statSync(join(folder, "cart.html")).size < 400_000);
  const rows = table("cart.csv");
  const { page, close } = await open("cart.html");
  assert.ok(!(await page.isVisible("#still")));
  const canvases = await page.$$(".dal-plot canvas");
  assert.ok(canvases.length >= 3, `${canvases.length} panels`);
  const box = await canvases[0].boundingBox();
  const [low, middle] = [box.x + 0.3 * box.width, box.y + 0.5 * box.height];
  await page.mouse.move(low, middle);
  const t = parseFloat(await shown(page));
  assert.match(await shown(page), /^[\d.]+ s$/);
  const row = rows.find((r) => Math.abs(r.t - t) < 1e-9);
  const all = await values(page);
  assert.ok(all.length >= 4 && all.every((text) => text), all.join("; "));
  // The first key is that of the first coordinate, in metres.
  assert.match(all[0], / m$/);
  assert.ok(Math.abs(parseFloat(all[0]) - row.s) <= 6e-6 * Math.abs(row.s), `${all[0]} and ${row.s}`);
  // A drag zooms all panels, and rows are still rows.
  await page.mouse.down();
  await page.mouse.move(low + 120, middle, { steps: 4 });
  await page.mouse.up();
  const [from, to] = await view(page);
  assert.ok(from > 2 && to < 5 && to > from, `${from} ${to}`);
  await page.mouse.wheel(0, -400);
  const closer = await view(page);
  assert.ok(closer[1] - closer[0] < to - from);
  await page.mouse.dblclick(low, middle);
  assert.deepEqual(await view(page), [0, 10]);
  await canvases[1].focus();
  for (const key of ["Home", "ArrowRight", "ArrowRight"]) await page.keyboard.press(key);
  const right = parseFloat(await shown(page));
  assert.ok(right > 0 && rows.some((r) => Math.abs(r.t - right) < 1e-9));
  assert.match(await canvases[1].getAttribute("aria-valuetext"), /^t = [\d.]+ s: phi = [-\d.]+ /);
  await page.keyboard.press("+");
  const half = await view(page);
  assert.ok(Math.abs(half[1] - half[0] - 5) < 1e-9);
  await page.keyboard.press("End");
  for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowRight");
  assert.ok((await view(page))[1] > half[1], "the part that is shown goes along");
  await page.keyboard.press("0");
  assert.deepEqual(await view(page), [0, 10]);
  await page.keyboard.press("Escape");
  assert.equal(await shown(page), "");
  await close();
});

test("fingers move the cursor and zoom", async () => {
  run(CART, "simulate", "MODEL", "--plot", "cart.html", "--quiet");
  const { page, close } = await open("cart.html", { width: 390, height: 844, hasTouch: true, isMobile: true });
  const box = await (await page.$(".dal-plot canvas")).boundingBox();
  await page.touchscreen.tap(box.x + 0.6 * box.width, box.y + 60);
  assert.match(await shown(page), / s$/);
  const client = await page.context().newCDPSession(page);
  const touch = (type, ...xs) =>
    client.send("Input.dispatchTouchEvent", { type, touchPoints: xs.map((x, id) => ({ x: box.x + x, y: box.y + 60, id })) });
  await touch("touchStart", 140, 200);
  await touch("touchMove", 120, 220);
  await touch("touchMove", 90, 260);
  await touch("touchEnd");
  const [from, to] = await view(page);
  assert.ok(from > 0 && to < 10 && to - from < 6, `${from} ${to}`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await close();
});

test("without scripts the still picture is there", async () => {
  run(CART, "simulate", "MODEL", "--plot", "cart.html", "--quiet");
  const { page, close } = await open("cart.html", { javaScriptEnabled: false });
  assert.ok(await page.isVisible("#still svg"));
  assert.equal(await page.locator(".dal-plot").count(), 0);
  await close();
});

test("marks and frequencies have values", async () => {
  run(INPUT, "linearize", "MODEL", "--bode", "bode.html", "--poles", "poles.html", "--quiet");
  const bode = await open("bode.html");
  const box = await (await bode.page.$(".dal-plot canvas")).boundingBox();
  await bode.page.mouse.move(box.x + 0.5 * box.width, box.y + 50);
  assert.match(await shown(bode.page), /^0\.\d+ Hz$/);
  await bode.close();
  const poles = await open("poles.html");
  await poles.page.focus(".dal-plot canvas");
  await poles.page.keyboard.press("ArrowRight");
  const text = (await values(poles.page)).join(" ");
  assert.match(text, /^real part = -0\.2 1\/s, imaginary part = -2\.99333 1\/s: decays$/);
  await poles.close();
  run(BEAD, "equilibrium", "MODEL", "--landscape", "theta=-3..3:200", "--plot", "hoop.html", "--quiet");
  const hoop = await open("hoop.html");
  await hoop.page.focus(".dal-plot canvas");
  await hoop.page.keyboard.press("End");
  assert.match((await values(hoop.page))[0], /^9\.35336/);
  await hoop.close();
});

test("a landscape over two coordinates has values", async () => {
  const model = "coordinate a, b\nkinetic (a'^2 + b'^2)/2\npotential a^2 + 2*b^2 + a*b/2\nsimulate until 1\n";
  run(model, "equilibrium", "MODEL", "--landscape", "a=-2..2:41", "--landscape", "b=-1..1:21", "--plot", "field.html", "--quiet");
  const { page, close } = await open("field.html", { colorScheme: "dark" });
  await page.focus("#still svg");
  for (const key of ["ArrowRight", "ArrowRight", "ArrowUp"]) await page.keyboard.press(key);
  assert.equal(await page.textContent(".dal-now"), "a = 0.2, b = 0.1, potential = 0.07");
  const box = await (await page.$("#still svg")).boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.4 * box.height);
  assert.match(await page.textContent(".dal-now"), /^a = -[\d.]+, b = [\d.]+, potential = [\d.]+$/);
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  assert.deepEqual(found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}`)), []);
  await close();
});

for (const [width, height] of [[1280, 900], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`no violations at ${width} pixels, ${colorScheme}`, async () => {
      run(CART, "simulate", "MODEL", "--plot", "cart.html", "--quiet");
      run(INPUT, "linearize", "MODEL", "--poles", "poles.html", "--bode", "bode.html", "--quiet");
      for (const name of ["cart", "poles", "bode"]) {
        const { page, close } = await open(`${name}.html`, { width, height, colorScheme });
        await page.focus(".dal-plot canvas");
        await page.keyboard.press("ArrowRight");
        await page.keyboard.press("+");
        await page.evaluate(AXE);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
        assert.deepEqual(found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")}`)), [], name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is too wide`);
        if (process.env.PICTURES) await page.screenshot({ path: join(process.env.PICTURES, `${name}-${width}-${colorScheme}.png`), fullPage: true });
        await close();
      }
    });
  }
}
