// Parameters and starting values: a slider and a box for each; what is moved is kept until the model is another one.

import type { Checked, Slider } from "./api";
import { element, short } from "./dom";

export interface Sliders {
  /** Shows the parameters and starting values of a model. */
  show(checked: Checked): void;
  /** Another model: nothing is chosen, and nothing shown until it is known. */
  clear(): void;
  values(): { set: Record<string, number>; initial: Record<string, number>; until: number | null; method?: string };
}

/** As `Method` of the crate `dalembert-run` names them. */
const METHODS = ["dop853", "tsit5", "rk4", "radau", "variational2", "variational4", "variational6"];

type Chosen = Map<string, number>;

export function makeSliders(host: HTMLElement, moved: () => void): Sliders {
  const chosen = { set: new Map() as Chosen, initial: new Map() as Chosen };
  let until: number | null = null;
  let method = "";
  let last: Checked | undefined;
  let drawn = "";
  /** Ranges that were chosen for sliders, by name. */
  const ranges = new Map<string, [number, number]>();

  function draw(): void {
    if (!last?.sliders) return;
    const lists = { set: families(last.sliders), initial: last.start ?? [] };
    for (const key of ["set", "initial"] as const) {
      const names = new Set(lists[key].map((s) => s.name));
      for (const name of chosen[key].keys()) if (!names.has(name)) chosen[key].delete(name);
    }
    // Rows are made anew only if the text says something else, so that a slider in hand stays.
    const shape = JSON.stringify([lists.set, lists.initial, last.until]);
    if (shape === drawn) return;
    drawn = shape;
    host.replaceChildren(
      heading(),
      group("Parameters", lists.set, chosen.set),
      group("Start", lists.initial.filter((s) => s.fixed), chosen.initial),
      others(lists.initial.filter((s) => !s.fixed)),
      ending(last.until ?? null),
    );
  }

  function heading(): HTMLElement {
    const reset = element("button", { type: "button", class: "small", id: "reset" }, "Reset all");
    reset.onclick = () => {
      forget();
      draw();
      moved();
    };
    return element("div", { class: "slider-head" }, element("h2", {}, "Parameters and start"), reset);
  }

  function group(title: string, list: Slider[], values: Chosen): HTMLElement {
    const rows = list.slice(0, 40).map((slider) => row(slider, values));
    const box = element("div", { class: "sliders", role: "group", "aria-label": title }, ...rows);
    box.hidden = rows.length === 0;
    return box;
  }

  /** What the model leaves to be found; moving one fixes it. */
  function others(list: Slider[]): HTMLElement {
    const box = element("details", {}, element("summary", { class: "slider-end" }, "Other starting values"), group("Other starting values", list, chosen.initial));
    box.hidden = list.length === 0;
    return box;
  }

  function row(slider: Slider, values: Chosen): HTMLElement {
    const now = values.get(slider.name) ?? Number(slider.default.toPrecision(6));
    let [low, high] = ranges.get(slider.name) ?? range(slider.default);
    const bar = element("input", { type: "range", min: String(low), max: String(high), step: "any", value: String(now), "aria-label": slider.name });
    const box = element("input", { type: "number", step: "any", value: String(now), "aria-label": `${slider.name}, value` });
    const back = element("button", { type: "button", class: "small quiet", title: `Back to ${short(slider.default)}`, "aria-label": `Reset ${slider.name}` }, "↺");
    const put = (value: number): void => {
      if (!Number.isFinite(value)) return;
      if (value === slider.default) values.delete(slider.name);
      else values.set(slider.name, value);
      back.disabled = !values.has(slider.name);
      moved();
    };
    bar.oninput = () => {
      const value = rounded(Number(bar.value), high - low);
      box.value = String(value);
      put(value);
    };
    box.oninput = () => {
      if (box.value.trim() === "") return;
      bar.value = box.value;
      put(Number(box.value));
    };
    back.disabled = !values.has(slider.name);
    back.onclick = () => {
      bar.value = box.value = String(Number(slider.default.toPrecision(6)));
      put(slider.default);
    };
    const end = (label: string, value: number, put: (value: number) => void): HTMLInputElement => {
      const input = element("input", { type: "number", step: "any", value: String(value), "aria-label": `${slider.name}, ${label} end of the slider` });
      input.onchange = () => {
        if (input.value.trim() === "" || !Number.isFinite(Number(input.value))) return;
        put(Number(input.value));
        const sound = low < high;
        input.setAttribute("aria-invalid", String(!sound));
        if (!sound) return;
        ranges.set(slider.name, [low, high]);
        [bar.min, bar.max] = [String(low), String(high)];
        bar.value = box.value;
      };
      return input;
    };
    const ends = element("div", { class: "slider-range", hidden: true },
      end("lower", low, (v) => (low = v)), " to ", end("upper", high, (v) => (high = v)));
    const name = element("button", { type: "button", class: "slider-name", title: `${slider.name}: the range of the slider`, "aria-expanded": "false", "aria-label": `Range of ${slider.name}` }, slider.name, slider.unit ? element("small", {}, ` ${slider.unit}`) : null);
    name.onclick = () => {
      ends.hidden = !ends.hidden;
      name.setAttribute("aria-expanded", String(!ends.hidden));
    };
    return element("div", { class: "slider", "data-name": slider.name }, name, bar, box, back, ends);
  }

  function ending(stated: number | null): HTMLElement {
    const box = element("input", { type: "number", step: "any", min: "0", id: "until", value: until === null ? "" : String(until), placeholder: stated === null ? "10" : String(stated), "aria-label": "End time" });
    box.oninput = () => {
      // What cannot be an end is sent too: the run says why it is refused.
      until = box.value.trim() === "" ? null : Number(box.value);
      box.setAttribute("aria-invalid", String(until !== null && !(until > 0)));
      moved();
    };
    const choice = element("select", { id: "method", "aria-label": "Method" }, element("option", { value: "" }, "as in the text"), ...METHODS.map((name) => element("option", { value: name }, name)));
    choice.value = method;
    choice.onchange = () => {
      method = choice.value;
      moved();
    };
    return element("div", { class: "slider-end" }, element("label", {}, "until t = ", box), element("label", {}, "method ", choice));
  }

  function forget(): void {
    chosen.set.clear();
    chosen.initial.clear();
    ranges.clear();
    until = null;
    method = "";
    drawn = "";
  }

  return {
    show(checked) {
      last = checked;
      draw();
    },
    clear() {
      forget();
      last = undefined;
      host.replaceChildren();
    },
    values: () => ({
      set: Object.fromEntries(chosen.set),
      initial: Object.fromEntries(chosen.initial),
      // Without any end of its own a model runs for ten units of time.
      method: method || undefined,
      until: until ?? (last?.sliders && last.until == null ? 10 : null),
    }),
  };
}

/** Members of a family with one value are one slider. */
function families(list: Slider[]): Slider[] {
  const groups = new Map<string, Slider[]>();
  for (const slider of list) {
    const family = slider.name.split("[")[0];
    groups.set(family, [...(groups.get(family) ?? []), slider]);
  }
  return [...groups].flatMap(([family, members]) =>
    members.length > 1 && members.every((m) => m.default === members[0].default) ? [{ ...members[0], name: family }] : members,
  );
}

/** From nothing to twice the value; around zero, one to each side. */
function range(value: number): [number, number] {
  if (value === 0) return [-1, 1];
  return value > 0 ? [0, 2 * value] : [2 * value, 0];
}

/** A thousandth of the range is fine enough for a hand. */
function rounded(value: number, span: number): number {
  const step = 10 ** Math.floor(Math.log10(span) - 2.5);
  return Number((Math.round(value / step) * step).toPrecision(12));
}
