// Questions about the model besides its motion: poles and Bode plots, equilibria, small sweeps, comparison of every road,
// and the report. Each is asked on request and again when the model or a slider has changed since.

import { ask, type Checked, type Column, type Failure, type Question, type RunQuestion } from "./api";
import { curves, poleMap, response } from "./charts";
import { element, short } from "./dom";
import { failureBox } from "./messages";

interface Mode {
  eigenvalue: [number, number];
  frequency_hz: number | null;
  damping_ratio: number | null;
  time_constant: number | null;
}

interface Linear {
  state?: Record<string, number>;
  kind?: string;
  stability?: string | null;
  modes?: Mode[];
  eigenvalues?: [number, number][];
  inputs?: string[];
  outputs?: string[];
  bode?: Column[];
}

interface Equilibria {
  equilibria?: (Linear & { potential: number | null; family?: unknown })[];
  rest_possible?: boolean;
  notes?: string[];
}

interface Verification {
  passed?: boolean;
  checks?: { name: string; what: string; worst: number; tolerance: number; passed: boolean }[];
  skipped?: { name: string; reason: string }[];
}

interface Swept {
  table?: Column[];
  failed_runs?: number;
}

export interface Study {
  show(): void;
}

type Answer<T> = T & { failed?: Failure; ended?: string };

/** A part of the view: a heading, what can be chosen, a button that asks, and the answer. */
function part<T>(id: string, title: string, about: string, label: string, choices: Node[], asks: () => Promise<Answer<T>>, shows: (answer: T) => Node[]): HTMLElement {
  const button = element("button", { type: "button", id: `ask-${id}` }, label);
  const answer = element("div", { class: "answer", id: `${id}-answer`, "aria-live": "polite" });
  button.onclick = async () => {
    button.disabled = true;
    answer.classList.add("busy");
    const found = await asks();
    button.disabled = false;
    answer.classList.remove("busy");
    if (found.ended) return;
    answer.replaceChildren(...(found.failed ? [failureBox(found.failed)] : shows(found)));
  };
  return element("section", { class: "part", id: `part-${id}` },
    element("h2", {}, title), element("p", { class: "remark" }, about),
    element("div", { class: "asking" }, ...choices, button), answer);
}

export function makeStudy(host: HTMLElement, question: () => RunQuestion, checked: () => Checked | undefined): Study {
  const settle = element("input", { type: "checkbox", checked: true, id: "settle" });
  const linear = part<Linear>("linear", "Poles and Bode plot", "The linear system about a state: its eigenvalues, and outputs over inputs.", "Linearize",
    [element("label", {}, settle, " about the equilibrium nearest to the start")],
    () => ask<Linear>("linearize", { ...question(), settle: settle.checked }), showLinear);
  const rest = part<Equilibria>("equilibria", "Equilibria", "Positions of rest and steady motions, found from many starts.", "Find equilibria", [],
    () => ask<Equilibria>("equilibria", question()), showEquilibria);
  const verify = part<Verification>("verify", "Verify", "Every road to the equations that applies to this model, compared.", "Compare", [],
    () => ask<Verification>("verify", question()), showVerification);
  const sweep = makeSweep(question);
  host.replaceChildren(linear, rest, sweep.root, verify);
  return { show: () => sweep.offer(checked()) };
}

function showLinear(found: Linear): Node[] {
  const values = (found.eigenvalues ?? []).map(tidy);
  const at = element("p", {}, `${found.kind ?? ""}${found.stability ? `, ${found.stability}` : ""}: ${pairs(found.state)}`);
  const head = ["eigenvalue [1/s]", "frequency [Hz]", "damping ratio", "time constant [s]"];
  const rows = (found.modes ?? []).filter((m) => m.eigenvalue[1] >= 0).slice(0, 60).map((m) => [complex(m.eigenvalue), short(m.frequency_hz), short(m.damping_ratio), short(m.time_constant)]);
  const parts: Node[] = [at, element("div", { class: "figures" }, poleMap(values)), tableOf("Poles", head, rows)];
  if (found.bode?.length) parts.push(...response(found.bode));
  else parts.push(element("p", { class: "remark" }, "A Bode plot needs an input and an output: write input u = 0, use u in a force, and name an output."));
  return parts;
}

/** Parts that are rounding beside the other part are zero. */
function tidy([re, im]: [number, number]): [number, number] {
  const small = 1e-10 * Math.hypot(re, im);
  return [Math.abs(re) < small ? 0 : re, Math.abs(im) < small ? 0 : im];
}

function complex(value: [number, number]): string {
  const [re, im] = tidy(value);
  if (im === 0) return short(re);
  return re === 0 ? `±${short(Math.abs(im))}i` : `${short(re)} ± ${short(Math.abs(im))}i`;
}

const pairs = (values: Record<string, number> | undefined): string => Object.entries(values ?? {}).slice(0, 12).map(([name, v]) => `${name} = ${short(v)}`).join(", ");

function showEquilibria(found: Equilibria): Node[] {
  const rows = (found.equilibria ?? []).slice(0, 40).map((e) => [pairs(e.state), e.stability ?? "not known", short(e.potential), (e.modes ?? []).filter((m) => m.eigenvalue[1] >= 0).slice(0, 4).map((m) => complex(m.eigenvalue)).join(", ")]);
  const notes = (found.notes ?? []).map((text) => element("p", { class: "remark" }, text));
  if (!rows.length) return [element("p", {}, "No equilibrium was found."), ...notes];
  return [tableOf("Equilibria", ["state", "stability", "potential energy", "eigenvalues"], rows), ...notes];
}

function showVerification(found: Verification): Node[] {
  const checks = found.checks ?? [];
  const failed = checks.filter((c) => !c.passed).length;
  const verdict = failed ? `${failed} of ${checks.length} failed` : `all ${checks.length} passed`;
  const rows = checks.map((c) => [c.passed ? "passed" : "FAILED", c.name, short(c.worst, 2), short(c.tolerance, 2), c.what]);
  const skipped = (found.skipped ?? []).map((s) => element("li", {}, `${s.name}: ${s.reason}`));
  return [element("p", { class: failed ? "bad" : "good" }, element("strong", {}, verdict)),
    tableOf("Checks", ["result", "check", "worst", "tolerance", "compares"], rows),
    ...(skipped.length ? [element("details", {}, element("summary", {}, `Not applicable (${skipped.length})`), element("ul", {}, ...skipped))] : [])];
}

function tableOf(label: string, head: string[], rows: string[][]): HTMLElement {
  const line = (cells: string[], tag: "th" | "td") => element("tr", {}, ...cells.map((text) => (tag === "th" ? element("th", { scope: "col" }, text) : element("td", {}, text))));
  return element("div", { class: "wide", tabIndex: 0, role: "region", "aria-label": label }, element("table", {}, element("thead", {}, line(head, "th")), element("tbody", {}, ...rows.map((row) => line(row, "td")))));
}

const FIGURES = ["max", "min", "mean", "rms", "last"];

/** A figure of a column over a parameter or a starting value. */
function makeSweep(question: () => RunQuestion): { root: HTMLElement; offer(checked: Checked | undefined): void } {
  const vary = element("select", { id: "sweep-vary", "aria-label": "What is varied" });
  const number = (id: string, label: string, value: string) => element("input", { type: "number", step: "any", id, "aria-label": label, value });
  const [low, high] = [number("sweep-low", "From", "0"), number("sweep-high", "To", "1")];
  const count = number("sweep-count", "Runs", "25");
  const figure = element("select", { id: "sweep-figure", "aria-label": "Figure" }, ...FIGURES.map((name) => element("option", { value: name }, name)));
  const column = element("select", { id: "sweep-column", "aria-label": "Column" });
  let defaults = new Map<string, number>();
  let offered = "";
  const range = (): void => {
    const value = defaults.get(vary.value) ?? 1;
    [low.value, high.value] = value === 0 ? ["-1", "1"] : [String(Number((0.5 * value).toPrecision(6))), String(Number((1.5 * value).toPrecision(6)))];
  };
  vary.onchange = range;
  const root = part<Swept>("sweep", "Sweep", "A figure of many runs over a parameter or a starting value; up to 200 runs here.", "Sweep",
    [element("label", {}, "vary ", vary), element("label", {}, "from ", low), element("label", {}, "to ", high), element("label", {}, "runs ", count), element("label", {}, "keep ", figure), element("label", {}, "of ", column)],
    () => ask<Swept>("sweep", sweptQuestion()),
    (found) => {
      const [x, y] = found.table ?? [];
      const failed = found.failed_runs ? [element("p", { class: "bad" }, `${found.failed_runs} runs failed`)] : [];
      return x && y ? [...failed, curves(`${y.name} over ${x.name}`, x, [y])] : failed;
    });

  function sweptQuestion(): object {
    const asked: Question & { until?: number | null } = question();
    const set = Object.fromEntries(Object.entries(asked.set).filter(([name]) => name !== vary.value));
    return { ...asked, set, vary: vary.value, low: Number(low.value), high: Number(high.value), count: Number(count.value), figure: figure.value, column: column.value };
  }

  function offer(checked: Checked | undefined): void {
    const sliders = [...(checked?.sliders ?? []), ...(checked?.start ?? []).filter((s) => s.fixed)];
    const columns = [...new Set([...(checked?.outputs ?? []), ...(checked?.coordinates ?? []), ...(checked?.speeds ?? [])])];
    const key = JSON.stringify([sliders.map((s) => [s.name, s.default]), columns]);
    if (key === offered || !sliders.length) return;
    offered = key;
    defaults = new Map(sliders.map((s) => [s.name, s.default]));
    const before = [vary.value, column.value];
    vary.replaceChildren(...sliders.map((s) => element("option", { value: s.name }, s.unit ? `${s.name} [${s.unit}]` : s.name)));
    column.replaceChildren(...columns.map((name) => element("option", { value: name }, name)));
    if (defaults.has(before[0])) vary.value = before[0];
    if (columns.includes(before[1])) column.value = before[1];
    range();
  }
  return { root, offer };
}

/** The page of `dalembert report`, in a frame that runs no script. */
export function makeReport(host: HTMLElement, question: () => RunQuestion): Study {
  const frame = element("iframe", { title: "Report", class: "report" });
  frame.setAttribute("sandbox", "");
  const said = element("div", { role: "status" });
  const save = element("button", { type: "button", class: "small", disabled: true }, "Download");
  const again = element("button", { type: "button", class: "small", id: "ask-report" }, "Write again");
  let written = "";
  let html = "";

  async function write(): Promise<void> {
    const asked = question();
    const key = JSON.stringify(asked);
    written = key;
    said.replaceChildren("Writing the report…");
    const answer = await ask<{ html?: string }>("report", asked);
    if (answer.ended || written !== key) return;
    if (answer.failed) return said.replaceChildren(failureBox(answer.failed));
    said.replaceChildren();
    html = answer.html ?? "";
    save.disabled = false;
    frame.srcdoc = html;
  }

  save.onclick = () => {
    const link = element("a", { href: URL.createObjectURL(new Blob([html], { type: "text/html" })), download: "report.html" });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  again.onclick = () => void write();
  host.replaceChildren(element("div", { class: "asking" }, again, save), said, frame);
  return { show: () => void (JSON.stringify(question()) !== written && write()) };
}
