// The equations of motion, typeset.

import katex from "katex";
import "katex/dist/katex.min.css";
import { ask } from "./api";
import { breakable } from "./break";
import { byId, element } from "./dom";
import { failureBox } from "./messages";
import { copy } from "./share";

/** Longer texts take the browser too long to typeset. */
const MAX_LATEX = 60_000;

const FORMS: [string, string][] = [
  ["lagrange", "Lagrange, with multipliers"],
  ["explicit", "Accelerations in closed form"],
  ["kernel", "Kernel form M, Q, A, b"],
  ["hamilton", "Hamilton"],
  ["poincare", "Poincaré–Chetaev"],
  ["suslov", "Suslov"],
  ["energies", "Energies and co-energies"],
  ["hamilton-jacobi", "Hamilton–Jacobi"],
];

export interface Equations {
  form(): string;
  /** Shows the equations of a text, unless they stand there already. */
  show(text: string): void;
}

export function makeEquations(): Equations {
  const choice = byId<HTMLSelectElement>("form");
  const host = byId("written");
  choice.append(...FORMS.map(([value, label]) => element("option", { value }, label)));
  let shown = "";
  let wanted = "";
  let latex = "";
  const told = byId("copied");
  const copied = async (text: string, what: string): Promise<void> => {
    told.textContent = (await copy(text)) ? `${what} copied` : "The browser does not allow copying";
  };
  byId("copy-latex").onclick = () => void copied(latex, "All equations");

  async function show(text: string): Promise<void> {
    const key = `${choice.value}\n${text}`;
    wanted = key;
    host.classList.toggle("busy", key !== shown);
    if (key === shown) return;
    const answer = await ask<{ latex?: string }>("derive", { text, form: choice.value });
    if (wanted !== key || answer.ended) return;
    host.classList.remove("busy");
    shown = key;
    if (answer.failed) host.replaceChildren(failureBox(answer.failed));
    else typeset((latex = answer.latex ?? ""));
    told.textContent = "";
  }

  function typeset(latex: string): void {
    if (latex.length > MAX_LATEX) {
      const size = latex.length.toLocaleString("en");
      host.replaceChildren(element("p", {}, `These equations are ${size} characters long, too long to show here. They can be exported as LaTeX.`));
      return;
    }
    const shown = rowsOf(latex).map((row) => {
      const words = /^\\text\{(.*)\}$/.exec(row);
      if (words) return element("p", { class: "remark" }, words[1].replace(/\\([_{}#$%&])/g, "$1"));
      const line = element("div", { class: "equation", tabIndex: 0, role: "group", "aria-label": "Equation" });
      // Inline, so that long lines break at their signs, also inside brackets.
      katex.render(`\\displaystyle ${breakable(row)}`, line, { throwOnError: false, strict: false, maxExpand: 10_000 });
      const button = element("button", { type: "button", class: "small quiet copy", title: "Copy as LaTeX", "aria-label": "Copy this equation as LaTeX" }, "LaTeX");
      button.onclick = () => void copied(row, "Equation");
      return element("div", { class: "equation-row" }, line, button);
    });
    host.replaceChildren(...shown);
  }

  choice.onchange = () => void show(wanted.slice(wanted.indexOf("\n") + 1));
  return { form: () => choice.value, show: (text) => void show(text) };
}

/** The rows of the `aligned` environment that the engine writes, one a line, without their alignment. */
function rowsOf(latex: string): string[] {
  const lines = latex.split("\n").filter((line) => line && !line.startsWith("%"));
  const rows = lines.filter((line) => !/^\\(begin|end)\{aligned\}$/.test(line));
  return rows.map((row) => row.replace(/ \\\\$/, "").replace(/^&/, "").replace(/ &(=|\\)/, " $1"));
}
