// The equations of motion, typeset.

import katex from "katex";
import "katex/dist/katex.min.css";
import { ask } from "./api";
import { byId, element } from "./dom";
import { failureBox } from "./messages";

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
    else typeset(answer.latex ?? "");
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
      const line = element("div", { class: "equation", tabIndex: 0 });
      // Inline, so that long lines break at their signs.
      katex.render(`\\displaystyle ${row}`, line, { throwOnError: false, strict: false, maxExpand: 10_000 });
      return line;
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
