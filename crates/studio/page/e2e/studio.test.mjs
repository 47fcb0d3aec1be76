// What a reader does in the studio, from the first error to the saved file.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT, openPage, startBrowser, startStudio, text, type } from "./harness.mjs";

const PENDULUM = `system "Pendulum"
parameter m = 1, l = 1, g = 9.81
coordinate theta
let P = [l*sin(theta), -l*cos(theta)]
kinetic m/2*dot(P', P')
potential m*g*P.y
initial theta = 1
draw line [0, 0], P
draw point P
simulate until 10`;

let studio, browser;
before(async () => {
  [studio, browser] = await Promise.all([startStudio(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

const summary = (page) => page.textContent("#summary");

/** Waits for the end of the run that an action begins. */
async function ran(page, action) {
  const runs = () => page.evaluate(() => Number(document.querySelector("#player").dataset.runs ?? 0));
  const before = await runs();
  await action();
  await page.waitForFunction((before) => Number(document.querySelector("#player").dataset.runs ?? 0) > before, before);
}

/** Where the first piece of text that says this stands on the screen. */
const placeOf = (page, words) =>
  page.evaluate((words) => {
    const walker = document.createTreeWalker(document.querySelector(".cm-content"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const at = walker.currentNode.data.indexOf(words);
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(walker.currentNode, at);
      range.setEnd(walker.currentNode, at + words.length);
      const { left, top, width, height } = range.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    }
  }, words);

/** Waits for something that happens outside of the page. */
async function until(holds) {
  for (let k = 0; k < 400 && !holds(); k++) await new Promise((done) => setTimeout(done, 50));
  assert.ok(holds());
}

/** The picture on the stage, as bytes. */
const picture = (page) => page.evaluate(() => document.querySelector("#player canvas").toDataURL());

test("an error is seen at its place, mended, and the motion follows a slider", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, PENDULUM.replace("cos(theta)]", "cos(thta)]"));
  const mark = await page.waitForSelector(".cm-lintRange-error");
  assert.equal(await mark.textContent(), "thta");
  assert.match(await page.textContent("#problems"), /E0301.*line 4: .*thta/s);
  await page.hover(".cm-lintRange-error");
  await page.click(".cm-diagnosticAction");
  await page.waitForFunction(() => !document.querySelector(".cm-lintRange-error"));
  assert.match(await text(page), /cos\(theta\)\]/);

  await page.click("#run");
  await page.waitForFunction(() => /Reached t = 10 /.test(document.querySelector("#summary").textContent));
  await page.click(".dal-play");
  const before = await picture(page);
  const slider = page.locator('.slider[data-name="l"] input[type=range]');
  await slider.waitFor();
  await ran(page, () =>
    slider.evaluate((bar) => {
      bar.value = "0.4";
      bar.dispatchEvent(new Event("input", { bubbles: true }));
    }),
  );
  await page.waitForFunction((old) => document.querySelector("#player canvas").toDataURL() !== old, before);
  assert.equal(await page.inputValue('.slider[data-name="l"] input[type=number]'), "0.4");
  await page.click('.slider[data-name="l"] button[aria-label^="Reset"]');
  assert.equal(await slider.inputValue(), "1");
  await close();
});

test("dragging a slider keeps no queue and ends with the last value", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const asked = [];
  page.on("request", (r) => r.url().endsWith("/api/run") && asked.push(JSON.parse(r.postData()).set.g));
  await page.evaluate(async () => {
    const bar = document.querySelector('.slider[data-name="g"] input[type=range]');
    for (let k = 0; k <= 40; k++) {
      bar.value = String(5 + k / 10);
      bar.dispatchEvent(new Event("input", { bubbles: true }));
      await new Promise((done) => setTimeout(done, 5));
    }
  });
  await until(() => asked.at(-1) === 9);
  assert.ok(asked.length < 41, `${asked.length} runs for 41 moves`);
  await page.waitForFunction(() => !document.body.classList.contains("running") && /Reached/.test(document.querySelector("#summary").textContent));
  await close();
});

test("hover, completion and formatting speak of the model", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, PENDULUM);
  const { x, y } = await placeOf(page, "theta");
  await page.mouse.move(x, y);
  await page.mouse.move(x + 1, y);
  await page.waitForSelector(".tip:has-text('coordinate')");
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\noutput h = thet", { delay: 20 });
  await page.waitForSelector(".cm-tooltip-autocomplete >> text=theta");
  await page.keyboard.press("Escape");
  await type(page, PENDULUM.replace("m = 1, l = 1", "m=1,l   =   1"));
  await page.click("#format");
  await page.waitForFunction(() => document.querySelector(".cm-content").textContent.includes("parameter m = 1, l = 1, g = 9.81"));
  await close();
});

test("the gallery opens models, and their equations are typeset", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const forms = ["lagrange", "kernel", "poincare"];
  for (const title of ["Disk rolling upright on a plane", "Heavy top", "Chaplygin sleigh", "Kepler problem"]) {
    await page.click("#open");
    await ran(page, () => page.click(`dialog .card:has(strong:text-is("${title}"))`));
    for (const [k, form] of forms.entries()) {
      const derived = page.waitForResponse((r) => r.url().endsWith("/api/derive") && JSON.parse(r.request().postData()).form === form);
      if (k === 0) await page.click('.wide-tabs [data-view="equations"]');
      else await page.selectOption("#form", form);
      const answer = await (await derived).json();
      assert.ok(answer.latex, `${title}, ${form}: ${JSON.stringify(answer)}`);
      await page.waitForFunction(() => document.querySelector("#written .katex") && !document.querySelector("#written.busy"));
      assert.equal(await page.locator(".katex-error").count(), 0, `${title}, ${form}`);
    }
    await page.click('.wide-tabs [data-view="facts"]');
    assert.match(await page.textContent("#facts"), /degrees of freedom/);
    await page.click('.wide-tabs [data-view="motion"]');
    // The next one begins with the form that is chosen.
    forms.reverse();
  }
  await page.click('.wide-tabs [data-view="facts"]');
  await page.click("#analyze");
  await page.waitForSelector("#analysis >> text=proved");
  await close();
});

test("every example runs and is shown", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const cards = page.locator("#chooser .cards:not(.files) .card");
  const count = async () => (await page.click("#open"), await page.waitForSelector("#chooser[open] .card"), cards.count());
  for (let k = 0; k < (await count()); k++) {
    const title = await cards.nth(k).locator("strong").textContent();
    await ran(page, () => cards.nth(k).click());
    assert.match(await summary(page), /^(Reached|Stopped by event)/, title);
    assert.ok(await page.locator("#player canvas").isVisible(), title);
    assert.equal(await page.locator("#problems .error").count(), 0, title);
  }
  await close();
});

test("a long run shows how far it is and keeps what it has when cancelled", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, PENDULUM.replace("until 10", "until 1e7 every 1e4"));
  await page.keyboard.press("Control+Enter");
  await page.waitForSelector("body.running");
  await page.waitForFunction(() => document.querySelector("#progress").value > 0);
  await page.click("#cancel");
  await page.waitForSelector("#summary:has-text('Cancelled at t =')");
  assert.ok(await page.locator("#cancel").isDisabled());
  await close();
});

test("a run that fails says why and shows what there was", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await type(page, "coordinate x\nkinetic x'^2/2\nforce x = x'^2\ninitial x = 0, x' = 1\nsimulate until 5");
  await page.click("#run");
  await page.waitForSelector("#summary .failure");
  assert.match(await summary(page), /Failed after t = .*what was computed/s);
  await close();
});

test("files are exported", async () => {
  const { page, close } = await openPage(browser, studio.address);
  await page.click('.wide-tabs [data-view="export"]');
  const beginnings = { csv: "t,theta1", parquet: "PAR1", json: '{"columns"', svg: "<svg", html: "<!DOCTYPE html>", live: "<!DOCTYPE html>", latex: "% Double pendulum", c: "/*", rust: "//", python: "# Double pendulum" };
  for (const [what, begins] of Object.entries(beginnings)) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-what="${what}"]`)]);
    const bytes = readFileSync(await download.path(), "latin1");
    assert.ok(bytes.startsWith(begins), `${what}: ${bytes.slice(0, 40)}`);
    assert.match(download.suggestedFilename(), /^double_pendulum\./);
  }
  await close();
});

test("work is kept, saved, and not lost to a change on disk", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const file = join(studio.folder, "mine.dal");
  await type(page, PENDULUM);
  await page.keyboard.press("Control+s");
  await page.fill("#question input", "mine");
  await page.click("#question .primary");
  await page.waitForFunction(() => document.querySelector("#name").textContent === "mine.dal");
  assert.equal(readFileSync(file, "utf8"), PENDULUM);

  await type(page, PENDULUM + "\n# a thought");
  await page.waitForFunction(() => document.querySelector("#name").textContent.startsWith("●"));
  await page.reload();
  await page.waitForSelector("#notice:has-text('not saved are back')");
  assert.match(await text(page), /a thought/);

  writeFileSync(file, PENDULUM + "\n# from elsewhere");
  await page.click("#save");
  await page.waitForSelector("#question:has-text('changed elsewhere')");
  await page.click("#question >> text=Cancel");
  assert.match(readFileSync(file, "utf8"), /from elsewhere/);
  await page.click("#save");
  await page.click("#question >> text=Overwrite");
  await page.waitForFunction(() => document.querySelector("#name").textContent === "mine.dal");
  assert.match(readFileSync(file, "utf8"), /a thought/);
  await close();
});

test("drafts of examples, new models and files are apart, and all can be reached again", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const file = join(studio.folder, "double_pendulum.dal");
  const mine = PENDULUM.replace("Pendulum", "My own");
  await type(page, PENDULUM + "\n# an edited example");
  writeFileSync(file, mine.replaceAll("\n", "\r\n"));
  // It waits for the text, not for a run: a run of the text before may end meanwhile.
  const pick = async (where, name, words) => {
    await page.click("#open");
    await page.click(`dialog ${where} .card:has(strong:text-is("${name}"))`);
    await page.waitForSelector(`.cm-content:has-text("${words}")`);
  };
  await pick(".files:not(.drafts)", "double_pendulum.dal", "My own");
  assert.equal(await page.textContent("#name"), "double_pendulum.dal", "lines that end otherwise are no change");
  await page.click(".cm-content");
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\n# mine");
  await page.keyboard.press("Control+s");
  await page.waitForFunction(() => document.querySelector("#name").textContent === "double_pendulum.dal");
  assert.equal(readFileSync(file, "utf8"), `${mine}\n# mine`.replaceAll("\n", "\r\n"));

  await page.click("#open");
  await ran(page, () => page.click("dialog >> text=New model"));
  await type(page, PENDULUM + "\n# a new one");
  await pick(".drafts", "double_pendulum.dal", "an edited example");
  await page.keyboard.press("Control+s");
  await page.click("#question .primary");
  await page.waitForSelector("#question:has-text('There is a file double_pendulum.dal already')");
  await page.click("#question >> text=Cancel");
  await pick(".drafts", "new.dal", "a new one");
  assert.match(readFileSync(file, "utf8"), /# mine/);
  await close();
});

test("a broken file shows nothing of the one before it", async () => {
  const { page, close } = await openPage(browser, studio.address);
  writeFileSync(join(studio.folder, "broken.dal"), "coordinate x\nkinetic y");
  await page.click("#open");
  await ran(page, () => page.click('dialog .files .card:has(strong:text-is("broken.dal"))'));
  await page.waitForSelector("#summary .failure");
  for (const left of ["#player canvas", "#plots .panel", ".slider"]) assert.equal(await page.locator(left).count(), 0, left);
  await close();
});

test("what cannot be saved or run says so", async () => {
  const other = await startStudio();
  const { page } = await openPage(browser, other.address);
  writeFileSync(join(other.folder, "a.dal"), PENDULUM);
  await page.click("#open");
  await ran(page, () => page.click('dialog .files .card:has(strong:text-is("a.dal"))'));
  await ran(page, () => page.fill("#until", "-1"));
  await page.waitForSelector("#summary .failure");
  await type(page, PENDULUM + "\n# more");
  await other.stop();
  await page.keyboard.press("Control+s");
  await page.waitForSelector("#notice:has-text('Not saved: the studio does not answer')");
  await page.context().close();
});

for (const colorScheme of ["light", "dark"]) {
  test(`everything is within reach at 390 pixels, ${colorScheme}`, async () => {
    const { page, close } = await openPage(browser, studio.address, { width: 390, height: 844, colorScheme });
    for (const view of ["model", "motion", "equations", "study", "report", "facts", "export"]) {
      await page.click(`.narrow-tabs [data-view="${view}"]`);
      if (view === "equations") await page.waitForSelector("#written .katex");
      assert.ok(await page.locator(`#${view}`).isVisible(), view);
      const { wide, inner } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, inner: innerWidth }));
      assert.ok(wide <= inner, `${view} is ${wide} wide`);
      const out = await page.evaluate(() => [...document.querySelectorAll("button, input, select")].filter((e) => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.outerHTML));
      assert.deepEqual(out, [], view);
    }
    await page.click('.narrow-tabs [data-view="motion"]');
    assert.ok(await page.locator('#motion .slider[data-name="g"]').isVisible());
    await page.click("#open");
    await page.waitForSelector("#chooser[open] .card");
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `the chooser is ${wide} wide`);
    await close();
  });
}

test("the keyboard alone opens, runs and moves", async () => {
  const { page, close } = await openPage(browser, studio.address);
  const reached = new Set();
  for (let k = 0; k < 80; k++) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.dataset.view || document.activeElement.id || document.activeElement.getAttribute("aria-label") || ""));
  }
  for (const wanted of ["open", "save", "run", "g", "g, value", "until", "motion", "equations"]) assert.ok(reached.has(wanted), `${wanted} in ${[...reached]}`);
  await close();
});

test("screenshots for the README", { skip: !process.env.DALEMBERT_SCREENSHOTS }, async () => {
  const shots = [["studio.png", 1280, 800], ["studio-390.png", 390, 844]];
  for (const [file, width, height] of shots) {
    const { page, close } = await openPage(browser, studio.address, { width, height });
    await page.click(".dal-play");
    await page.locator(".dal-scrub").evaluate((bar) => {
      bar.value = "0.42";
      bar.dispatchEvent(new Event("input", { bubbles: true }));
    });
    await page.screenshot({ path: join(ROOT, "docs/images", file) });
    await close();
  }
});
