// What the model is, and on request what it conserves.

import { ask, type Checked, type Question } from "./api";
import { element, short } from "./dom";
import { failureBox } from "./messages";

interface Analysis {
  verdict?: string;
  rank?: number | null;
  degrees_of_freedom?: number | null;
  certainty?: string;
  constraints?: { name: string; kind: string; integral: string | null }[];
  integrals?: string[];
  conserved?: { name: string; expression: string; proved: boolean; drift: number | null; symmetry: string | null }[];
  remarks?: string[];
}

export interface Facts {
  show(checked: Checked): void;
}

export function makeFacts(host: HTMLElement, question: () => Question): Facts {
  const analysis = element("div", { id: "analysis" });
  const button = element("button", { type: "button", id: "analyze" }, "Classify constraints, find conserved quantities");
  let last: Checked | undefined;
  let answered = "";

  button.onclick = async () => {
    const asked = question();
    button.disabled = true;
    const answer = await ask<Analysis>("analyze", asked);
    button.disabled = false;
    if (answer.ended) return;
    answered = asked.text;
    analysis.replaceChildren(...(answer.failed ? [failureBox(answer.failed)] : [described(answer)]));
  };

  return {
    show(checked) {
      last = checked;
      if (!checked.coordinates) {
        host.replaceChildren(element("p", {}, "The model has errors; they are listed under its text."));
        return;
      }
      if (answered && answered !== question().text) analysis.replaceChildren();
      host.replaceChildren(table(last), button, analysis);
    },
  };
}

function table(c: Checked): HTMLElement {
  const list = element("dl", { class: "facts" });
  const put = (name: string, ...value: (Node | string)[]): void => {
    if (value.length && value[0] !== "") list.append(element("dt", {}, name), element("dd", {}, ...value));
  };
  const pairs = (values: Record<string, number> | null | undefined): string =>
    Object.entries(values ?? {}).map(([name, value]) => `${name} = ${short(value)}`).join(", ");
  put("title", c.title ?? "");
  put("degrees of freedom", c.degrees_of_freedom == null ? "" : String(c.degrees_of_freedom));
  put("coordinates", (c.coordinates ?? []).join(", "));
  put("speeds", (c.speeds ?? []).join(", "));
  put("parameters", pairs(c.parameters));
  put("constraints", ...(c.constraints?.length ? [constraints(c)] : ["none"]));
  if (c.constraints?.length) put("rank", c.rank == null ? "" : String(c.rank));
  put("redundant rows", (c.redundant ?? []).join(", "));
  put("start", pairs(c.initial));
  put("outputs", (c.outputs ?? []).join(", "));
  put("events", (c.events ?? []).join(", "));
  put("operations", c.operations ? String(c.operations.total) : "");
  return list;
}

function constraints(c: Checked): HTMLElement {
  const rows = (c.constraints ?? []).slice(0, 200).map((k) =>
    element("tr", {}, ...[k.name, k.kind, k.linear ? "linear" : "nonlinear", k.scleronomic ? "scleronomic" : "rheonomic"].map((text) => element("td", {}, text))),
  );
  return element("div", { class: "wide" }, element("table", {}, element("tbody", {}, ...rows)));
}

function described(a: Analysis): HTMLElement {
  const list = element("dl", { class: "facts" });
  const put = (name: string, value: string): void => {
    list.append(element("dt", {}, name), element("dd", {}, value));
  };
  put("constraints are", `${a.verdict ?? "undecided"}${a.certainty ? ` (${a.certainty})` : ""}`);
  for (const row of a.constraints ?? []) put(row.name, `${row.kind}${row.integral ? `, keeps ${row.integral}` : ""}`);
  for (const integral of a.integrals ?? []) put("integral", integral);
  for (const kept of a.conserved ?? []) {
    const how = kept.proved ? "proved" : `drift ${short(kept.drift, 2)}`;
    put(kept.name, `${kept.expression}  (${[kept.symmetry, how].filter(Boolean).join("; ")})`);
  }
  if (!a.conserved?.length) put("conserved", "nothing was found");
  for (const remark of a.remarks ?? []) put("remark", remark);
  return list;
}
