// Plots of the columns: coordinates, speeds and outputs, each in a panel of its own.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Checked, Column } from "./api";
import { element, short } from "./dom";
import { makePhase } from "./phase";

/** Lines of a panel at first; more can be chosen. */
const FEW = 6;
const HUES = [210, 25, 145, 340, 265, 50, 185, 0];

export interface Plots {
  show(table: Column[], checked: Checked | undefined): void;
  /** Puts the mark of the instant that is shown. */
  mark(t: number): void;
  clear(): void;
}

interface Panel {
  title: string;
  names: string[];
  shown: Set<string>;
}

export function makePlots(host: HTMLElement, seek: (t: number) => void): Plots {
  let panels: Panel[] = [];
  let charts: uPlot[] = [];
  let table: Column[] = [];
  let drawn = "";
  let now = 0;
  const style = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const phase = makePhase(() => ({ ink: style("--soft"), grid: style("--line"), line: hue(0), dot: style("--mark") }));

  function show(columns: Column[], checked: Checked | undefined): void {
    table = columns;
    const shape = columns.map((c) => c.name).join("\n");
    if (shape === drawn) {
      charts.forEach((chart, k) => chart.setData(dataOf(panels[k])));
      phase.show(table);
      mark(now);
      return;
    }
    drawn = shape;
    panels = split(columns, checked);
    draw();
  }

  function dataOf(panel: Panel): uPlot.AlignedData {
    const column = (name: string) => table.find((c) => c.name === name)?.values ?? [];
    return [column("t"), ...[...panel.shown].map(column)] as uPlot.AlignedData;
  }

  function draw(): void {
    charts.forEach((chart) => chart.destroy());
    host.replaceChildren();
    if (!panels.length) return void (charts = []);
    charts = panels.map((panel) => {
      const place = element("div", { class: "plot" });
      host.append(element("div", { class: "panel" }, chooser(panel), place));
      return chart(panel, place);
    });
    host.append(phase.root);
    phase.show(table);
    mark(now);
  }

  /** A line in each plot at the instant that is shown. */
  function mark(t: number): void {
    now = t;
    for (const chart of charts) {
      const line = chart.over.querySelector<HTMLElement>(".time-mark");
      if (!line) continue;
      const at = chart.valToPos(t, "x");
      line.hidden = !(at >= 0 && at <= chart.over.clientWidth);
      line.style.transform = `translateX(${at}px)`;
      // Values at the mark, unless a hand asks for others.
      if ((chart.cursor.left ?? -1) < 0) chart.setLegend({ idx: chart.valToIdx(t) }, false);
    }
    phase.mark(t);
  }

  function chooser(panel: Panel): HTMLElement {
    const boxes = panel.names.map((name) => {
      const box = element("input", { type: "checkbox", checked: panel.shown.has(name) });
      box.onchange = () => {
        if (box.checked) panel.shown.add(name);
        else panel.shown.delete(name);
        panel.shown = new Set(panel.names.filter((n) => panel.shown.has(n)));
        draw();
      };
      return element("label", {}, box, name);
    });
    const title = `${panel.title}${panel.shown.size < panel.names.length ? ` (${panel.shown.size} of ${panel.names.length})` : ""}`;
    return element("details", { class: "columns" }, element("summary", {}, title), element("div", { class: "boxes" }, ...boxes));
  }

  function chart(panel: Panel, place: HTMLElement): uPlot {
    const ink = style("--soft");
    const grid = { stroke: style("--line"), width: 1 };
    const units = new Set([...panel.shown].map((name) => table.find((c) => c.name === name)?.unit ?? ""));
    const unit = units.size === 1 ? [...units][0] : [...units].filter(Boolean).join(", ");
    const time = table.find((c) => c.name === "t")?.unit;
    const label = { labelSize: 18, labelFont: "12px system-ui, sans-serif" };
    const values = (_: uPlot, ticks: number[]) => {
      // As many digits as it takes to tell neighbours apart.
      const largest = Math.max(...ticks.map(Math.abs));
      const digits = Math.ceil(Math.log10(largest / Math.abs(ticks[1] - ticks[0]))) + 1;
      return ticks.map((v) => short(v, digits > 6 && digits < 16 ? digits : 6));
    };
    const axis = { stroke: ink, grid, ticks: grid, font: "12px system-ui, sans-serif" };
    const made = new uPlot(
      {
        width: Math.max(place.clientWidth, 200),
        height: 190,
        scales: { x: { time: false }, y: { range: (_, low, high) => range(low, high) } },
        legend: { show: true, live: true },
        cursor: { sync: { key: "t" }, drag: { x: true, y: false } },
        axes: [
          { ...axis, size: 32, values, ...(time ? { ...label, label: `t [${time}]` } : {}) },
          { ...axis, size: 58, values, ...(unit ? { ...label, label: unit } : {}) },
        ],
        hooks: { setScale: [() => mark(now)], setSize: [() => mark(now)] },
        series: [
          { label: "t", value: (_, v) => short(v) },
          ...[...panel.shown].map((name) => ({
            label: name,
            stroke: hue(panel.names.indexOf(name)),
            width: 1.5,
            // Between pixels too: rounded points make steps of a smooth curve.
            pxAlign: 0,
            spanGaps: false,
            value: (_: uPlot, v: number) => short(v),
          })),
        ],
      },
      dataOf(panel),
      place,
    );
    made.over.append(element("div", { class: "time-mark", "aria-hidden": "true", hidden: true }));
    made.over.addEventListener("click", () => {
      const at = made.cursor.left ?? -1;
      if (at >= 0) seek(made.posToVal(at, "x"));
    });
    return made;
  }

  const fit = () =>
    charts.forEach((chart) => {
      const width = chart.root.parentElement?.clientWidth ?? 0;
      if (width > 0 && width !== chart.width) chart.setSize({ width, height: chart.height });
    });
  new ResizeObserver(fit).observe(host);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  return { show, mark, clear: () => show([], undefined) };
}

function split(columns: Column[], checked: Checked | undefined): Panel[] {
  const coordinates = new Set(checked?.coordinates ?? []);
  const outputs = new Set(checked?.outputs ?? []);
  const names = columns.map((c) => c.name).filter((name) => name !== "t");
  const isOutput = (name: string) => outputs.has(name) && !coordinates.has(name);
  const panel = (title: string, names: string[]): Panel => ({ title, names, shown: new Set(names.slice(0, FEW)) });
  return [
    panel("Coordinates", names.filter((n) => coordinates.has(n))),
    panel("Speeds", names.filter((n) => !coordinates.has(n) && !isOutput(n))),
    panel("Outputs", names.filter(isOutput)),
  ].filter((p) => p.names.length > 0);
}

/** Room around the values. Ranges near rounding are widened: what is constant looks constant, and ticks stay apart. */
function range(low: number | null, high: number | null): [number, number] {
  if (low == null || high == null || !Number.isFinite(low + high)) return [-1, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  const span = Math.max(high - low, 1e-6 * size, 1e-300);
  const middle = (low + high) / 2;
  return size === 0 ? [-1, 1] : [middle - 0.55 * span, middle + 0.55 * span];
}

function hue(k: number): string {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  return `hsl(${HUES[k % HUES.length]} ${dark ? 75 : 65}% ${dark ? 65 : 42}%)`;
}
