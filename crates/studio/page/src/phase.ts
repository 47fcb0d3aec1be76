// One column over another: any two of the table, with the instant that is shown as a dot.

import type { Column } from "./api";
import { element, short } from "./dom";

const LEFT = 58;
const BOTTOM = 34;
const EDGE = 12;

export interface Phase {
  root: HTMLElement;
  show(table: Column[]): void;
  /** Puts the dot at a time. */
  mark(t: number): void;
}

export function makePhase(colours: () => { ink: string; grid: string; line: string; dot: string }): Phase {
  const across = element("select", { "aria-label": "Column across", id: "phase-x" });
  const up = element("select", { "aria-label": "Column upward", id: "phase-y" });
  const canvas = element("canvas", { role: "img", id: "phase-plot", "aria-label": "Phase plot" });
  const root = element("div", { class: "panel phase" },
    element("div", { class: "phase-head" }, element("strong", {}, "Phase plot"), element("label", {}, up), " over ", element("label", {}, across)), canvas);
  let table: Column[] = [];
  let names = "";
  let now = 0;
  across.onchange = up.onchange = () => draw();

  function show(columns: Column[]): void {
    table = columns;
    root.hidden = columns.length < 2;
    const all = columns.map((c) => c.name).join("\n");
    if (all !== names) {
      names = all;
      for (const choice of [across, up]) {
        const before = choice.value;
        choice.replaceChildren(...columns.map((c) => element("option", { value: c.name }, c.name)));
        choice.value = columns.some((c) => c.name === before) ? before : "";
      }
      if (!across.value) across.value = columns[1]?.name ?? "";
      // A coordinate and its rate, where there is one.
      if (!up.value) up.value = columns.some((c) => c.name === `${across.value}'`) ? `${across.value}'` : (columns[2] ?? columns[1])?.name ?? "";
    }
    draw();
  }

  const column = (name: string): Column | undefined => table.find((c) => c.name === name);

  function draw(): void {
    const [x, y, t] = [column(across.value), column(up.value), column("t")];
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (!x || !y || !t || !width || !height) return;
    const ratio = window.devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    canvas.setAttribute("aria-label", `${titled(y)} over ${titled(x)}`);
    const g = canvas.getContext("2d")!;
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    const [xs, ys] = [scale(x, LEFT, width - EDGE), scale(y, height - BOTTOM, EDGE)];
    const look = colours();
    axes(g, xs, ys, width, height, look, [titled(x), titled(y)]);
    g.strokeStyle = look.line;
    g.lineWidth = 1.5;
    g.lineJoin = "round";
    g.beginPath();
    let down = false;
    x.values.forEach((value, k) => {
      const other = y.values[k];
      if (value == null || other == null) return (down = false);
      if (down) g.lineTo(xs.at(value), ys.at(other));
      else g.moveTo(xs.at(value), ys.at(other));
      return (down = true);
    });
    g.stroke();
    const [px, py] = [valueAt(t, x, now), valueAt(t, y, now)];
    if (px === null || py === null) return;
    g.fillStyle = look.dot;
    g.strokeStyle = look.ink;
    g.beginPath();
    g.arc(xs.at(px), ys.at(py), 5, 0, 2 * Math.PI);
    g.fill();
    g.stroke();
    canvas.dataset.at = `${px} ${py}`;
  }

  new ResizeObserver(() => draw()).observe(canvas);
  return { root, show, mark: (t) => ((now = t), draw()) };
}

const titled = (c: Column): string => (c.unit ? `${c.name} [${c.unit}]` : c.name);

/** A value between rows, in a straight line. */
export function valueAt(times: Column, column: Column, t: number): number | null {
  const list = times.values;
  let [low, high] = [0, list.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) <= t) low = middle;
    else high = middle;
  }
  const [a, b] = [column.values[low], column.values[high]];
  if (a == null || b == null) return null;
  const gap = (list[high] ?? 0) - (list[low] ?? 0);
  const part = gap > 0 ? Math.min(1, Math.max(0, (t - (list[low] ?? 0)) / gap)) : 0;
  return a + part * (b - a);
}

interface Scale {
  low: number;
  high: number;
  at(value: number): number;
}

function scale(column: Column, from: number, to: number): Scale {
  let [low, high] = [Infinity, -Infinity];
  for (const value of column.values) {
    if (value == null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (!(low <= high)) [low, high] = [-1, 1];
  const room = Math.max(0.05 * (high - low), 1e-6 * Math.max(Math.abs(low), Math.abs(high)), 1e-300);
  [low, high] = high - low > 2e-6 * Math.max(Math.abs(low), Math.abs(high)) ? [low - room, high + room] : [low - 1, high + 1];
  return { low, high, at: (value) => from + ((to - from) * (value - low)) / (high - low) };
}

/** Round numbers between two ends. */
export function ticks(low: number, high: number, wish: number): number[] {
  const raw = (high - low) / Math.max(2, wish);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5].find((f) => f * power >= raw) ?? 10);
  const first = Math.ceil(low / step);
  const count = Math.min(100, Math.floor(high / step) - first + 1);
  return Array.from({ length: Math.max(0, count) }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

function axes(g: CanvasRenderingContext2D, xs: Scale, ys: Scale, width: number, height: number, look: { ink: string; grid: string }, [nameX, nameY]: string[]): void {
  g.font = "12px system-ui, sans-serif";
  g.lineWidth = 1;
  g.strokeStyle = look.grid;
  g.fillStyle = look.ink;
  const line = (a: number, b: number, c: number, d: number): void => {
    g.beginPath();
    g.moveTo(a, b);
    g.lineTo(c, d);
    g.stroke();
  };
  g.textAlign = "center";
  for (const v of ticks(xs.low, xs.high, width / 90)) {
    const x = Math.round(xs.at(v)) + 0.5;
    line(x, EDGE, x, height - BOTTOM);
    g.fillText(short(v), x, height - BOTTOM + 15);
  }
  g.textAlign = "right";
  for (const v of ticks(ys.low, ys.high, height / 40)) {
    const y = Math.round(ys.at(v)) + 0.5;
    line(LEFT, y, width - EDGE, y);
    g.fillText(short(v), LEFT - 6, y + 4);
  }
  g.fillText(nameX, width - EDGE, height - 4);
  g.textAlign = "left";
  g.fillText(nameY, 4, EDGE - 1);
}
