// Still charts of a study: curves, Bode plots and a map of poles, as SVG in the colours of the page.

import type { Column } from "./api";
import { element, short } from "./dom";
import { ticks } from "./phase";

const SPACE = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [520, 210, 58, 34, 14, 14];

interface Frame {
  x(v: number): number;
  y(v: number): number;
  svg: SVGSVGElement;
}

function node(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.textContent = text;
  return made;
}

function spread(values: (number | null)[]): [number, number] {
  const finite = values.filter((v): v is number => v != null && Number.isFinite(v));
  let [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (!finite.length) [low, high] = [-1, 1];
  const room = Math.max(0.06 * (high - low), 1e-6 * Math.max(Math.abs(low), Math.abs(high)));
  return high - low > 1e-9 * Math.max(Math.abs(low), Math.abs(high)) ? [low - room, high + room] : [low - 1, high + 1];
}

/** Axes with names; `logarithmic` values are powers of ten. */
function frame(title: string, [x0, x1]: [number, number], [y0, y1]: [number, number], names: [string, string], logarithmic = false): Frame {
  const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": title, class: "chart" }) as SVGSVGElement;
  const x = (v: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * (v - x0)) / (x1 - x0);
  const y = (v: number): number => HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * (v - y0)) / (y1 - y0);
  for (const v of ticks(x0, x1, 7)) {
    if (logarithmic && !Number.isInteger(v)) continue;
    svg.append(node("line", { x1: x(v), x2: x(v), y1: TOP, y2: HEIGHT - BOTTOM, class: "grid" }));
    svg.append(node("text", { x: x(v), y: HEIGHT - BOTTOM + 14, "text-anchor": "middle" }, logarithmic ? short(10 ** v) : short(v)));
  }
  for (const v of ticks(y0, y1, 5)) {
    svg.append(node("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(v), y2: y(v), class: "grid" }));
    svg.append(node("text", { x: LEFT - 6, y: y(v) + 4, "text-anchor": "end" }, short(v)));
  }
  svg.append(node("text", { x: WIDTH - RIGHT, y: HEIGHT - 5, "text-anchor": "end" }, names[0]));
  svg.append(node("text", { x: 4, y: TOP - 3 }, names[1]));
  return { x, y, svg };
}

function path(f: Frame, xs: (number | null)[], ys: (number | null)[], k: number): void {
  let line = "";
  let down = false;
  xs.forEach((x, i) => {
    const y = ys[i];
    if (x == null || y == null || !Number.isFinite(x + y)) return void (down = false);
    line += `${down ? "L" : "M"}${f.x(x).toFixed(2)} ${f.y(y).toFixed(2)}`;
    down = true;
  });
  f.svg.append(node("path", { d: line, class: `curve curve${k % 4}` }));
}

const titled = (c: Column): string => (c.unit ? `${c.name} [${c.unit}]` : c.name);

/** Columns over a column. */
export function curves(title: string, x: Column, ys: Column[]): HTMLElement {
  const f = frame(title, spread(x.values), spread(ys.flatMap((y) => y.values)), [titled(x), ys.map(titled).join(", ")]);
  ys.forEach((y, k) => path(f, x.values, y.values, k));
  return element("figure", { class: "study-chart" }, f.svg as unknown as HTMLElement);
}

/** Magnitudes and phases over frequency: the first column is the decimal logarithm of the frequency in Hz. */
export function response(columns: Column[]): HTMLElement[] {
  const [frequency, ...rest] = columns;
  const over = frequency.values;
  return rest.slice(0, 12).map((c) => {
    const f = frame(`${c.name} over frequency`, spread(over), spread(c.values), ["frequency [Hz]", titled(c)], true);
    path(f, over, c.values, 0);
    return element("figure", { class: "study-chart" }, f.svg as unknown as HTMLElement);
  });
}

/** Eigenvalues in the plane: what decays is left of the middle. */
export function poleMap(values: [number, number][]): HTMLElement {
  const reach = (k: 0 | 1): [number, number] => spread([...values.map((v) => v[k]), 0]);
  const f = frame(`Poles: ${values.length}`, reach(0), reach(1), ["real part [1/s]", "imaginary part [1/s]"]);
  f.svg.append(node("line", { x1: f.x(0), x2: f.x(0), y1: TOP, y2: HEIGHT - BOTTOM, class: "axis" }));
  for (const [re, im] of values) {
    const [x, y] = [f.x(re), f.y(im)];
    const mark = node("path", { d: `M${x - 5} ${y - 5}L${x + 5} ${y + 5}M${x - 5} ${y + 5}L${x + 5} ${y - 5}`, class: "pole" });
    mark.append(node("title", {}, `${short(re)} + ${short(im)}i`));
    f.svg.append(mark);
  }
  return element("figure", { class: "study-chart" }, f.svg as unknown as HTMLElement);
}
