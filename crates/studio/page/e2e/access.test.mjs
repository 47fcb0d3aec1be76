// No violations that axe finds, in both colour schemes and at both widths, with answers in every view.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { openPage, startBrowser, startStudio, type } from "./harness.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WRONG = "parameter m = 1\ncoordinate x\nkinetic m/2*x'^2\npotential mm*x^2\ninitial x = 1";

let studio, browser;
before(async () => {
  [studio, browser] = await Promise.all([startStudio(), startBrowser()]);
});
after(async () => {
  await browser?.close();
  await studio?.stop();
});

/** What axe finds in the page as it is: rule and place. */
async function violations(page) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"], iframes: false }));
  return found.violations.flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target.join(" ")} ${n.failureSummary ?? ""}`));
}

for (const [width, height] of [[1280, 800], [390, 844]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`no violations at ${width} pixels, ${colorScheme}`, async () => {
      const { page, close } = await openPage(browser, studio.address, { width, height, colorScheme });
      const show = (view) => page.click(`.${width > 859 ? "wide" : "narrow"}-tabs [data-view="${view}"]`);
      await page.click(".dal-play");
      for (const view of [...(width > 859 ? [] : ["model"]), "motion", "equations", "study", "report", "facts", "export"]) {
        await show(view);
        if (view === "equations") await page.waitForSelector("#written .katex");
        if (view === "study") {
          for (const what of ["linear", "equilibria", "verify"]) {
            await page.click(`#ask-${what}`);
            await page.waitForSelector(`#${what}-answer > *`);
          }
        }
        assert.deepEqual(await violations(page), [], view);
      }
      await page.click("#open");
      await page.waitForSelector("#chooser[open] .card");
      assert.deepEqual(await violations(page), [], "the chooser");
      await page.keyboard.press("Escape");
      if (width <= 859) await show("model");
      await type(page, WRONG);
      await page.waitForSelector("#problems .error");
      assert.deepEqual(await violations(page), [], "a wrong text");
      await close();
    });
  }
}
