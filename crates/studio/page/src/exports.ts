// Files to keep: each button asks for one and hands it to the browser.

import { ask, type RunQuestion } from "./api";
import { element } from "./dom";
import { failureBox } from "./messages";

interface Made {
  file: string;
  mime: string;
  text?: string;
  hex?: string;
}

const KINDS: [string, [string, string, string][]][] = [
  ["The motion, run again with the sliders as they are", [
    ["csv", "CSV", "a table for any program"],
    ["parquet", "Parquet", "a table of doubles, compact"],
    ["json", "JSON", "the table for scripts"],
    ["svg", "SVG", "plots of coordinates and speeds"],
    ["html", "HTML", "the animation, one file that stands alone"],
    ["live", "Live page", "one file that computes by itself, with sliders: to give to students"],
  ]],
  ["The equations, in the form chosen there", [["latex", "LaTeX", "an aligned environment"]]],
  ["A function for your own program: accelerations and forces", [
    ["c", "C", "C99, no allocation"],
    ["rust", "Rust", "a module"],
    ["python", "Python", "a module that needs nothing"],
  ]],
];

export function makeExports(host: HTMLElement, question: () => RunQuestion & { name: string; form: string }): void {
  const said = element("div", { id: "exported", role: "status" });
  const groups = KINDS.map(([title, kinds]) => {
    const buttons = kinds.map(([what, label, about]) => {
      const button = element("button", { type: "button", "data-what": what }, element("strong", {}, label), element("small", {}, about));
      button.onclick = () => void make(what, button);
      return button;
    });
    return element("div", { class: "exports" }, element("h2", {}, title), element("div", { class: "cards" }, ...buttons));
  });
  host.replaceChildren(...groups, said);

  async function make(what: string, button: HTMLButtonElement): Promise<void> {
    button.disabled = true;
    said.replaceChildren("Making the file…");
    const made = await ask<Made>("export", { ...question(), what });
    button.disabled = false;
    if (made.failed) return said.replaceChildren(failureBox(made.failed));
    if (made.ended) return;
    const content = made.hex === undefined ? (made.text ?? "") : bytes(made.hex);
    const link = element("a", { href: URL.createObjectURL(new Blob([content], { type: made.mime })), download: made.file });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    said.replaceChildren(`${made.file} was made.`);
  }
}

function bytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length: hex.length / 2 }, (_, k) => parseInt(hex.slice(2 * k, 2 * k + 2), 16));
}
