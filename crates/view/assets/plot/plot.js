// Plots that answer: a cursor with the values of every line, and zoom that all panels share. No dependencies.
//
//   import { plotInto } from './plot.js';
//   plotInto(document.querySelector('#here'), numbers);
//
// `numbers` is the document that `plot/numbers.rs` describes. Values are those of rows of the table, never in between.

import { element, marks, roundStep, tick } from '../player/film.js';

const RIGHT = 14;
const TOP = 8;
const BOTTOM = 24;
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const SERIES = 8;
const REACH = 30; // pixels from which a mark is found
const FONT = '12px system-ui, sans-serif';

/** Six significant digits, as the terminal shows them. */
export function six(value) {
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const [mantissa, exponent] = value.toExponential(5).split('e');
  const power = Number(exponent);
  const trimmed = (text) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  return power >= -4 && power < 6 ? trimmed(value.toFixed(5 - power)) : `${trimmed(mantissa)}e${power}`;
}

/** Numbers as `plot/numbers.rs` writes them. */
export function decoded(text) {
  return new Float64Array(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
}

/** Writes values of a quantity, whose unit may be in its name: `height [m]`. */
export function named(name, unit) {
  const [, bare, own] = name.match(/^(.*?)(?: \[(.*)\])?$/);
  return (value) => withUnit(`${bare} = ${six(value)}`, own ?? unit);
}

const withUnit = (text, unit) => (unit ? `${text} ${unit}` : text);

/** Shows plots in an element. */
export function plotInto(host, numbers) {
  return new Plots(host, numbers);
}

class Plots {
  constructor(host, numbers) {
    const read = decoded;
    this.x = { ...numbers.x, values: read(numbers.x.values) };
    this.marks = numbers.marks;
    const xs = this.x.values;
    this.full = widened(xs[0], xs[xs.length - 1]);
    if (this.marks.length && !numbers.panels.some((p) => p.lines.length)) {
      const all = [...xs, ...this.marks.map((m) => m[0])];
      const [low, high] = [Math.min(...all), Math.max(...all)];
      const room = 0.06 * (high - low) || 0.5;
      this.full = [low - room, high + room];
    }
    this.view = this.full;
    /** The row under the cursor, or the mark; none at first. */
    this.row = null;
    this.mark = null;
    this.pinned = null;
    this.now = element('b', { class: 'dal-now' });
    const button = (text, label, act) => {
      const made = element('button', { type: 'button', 'aria-label': label, title: label }, text);
      made.addEventListener('click', act);
      return made;
    };
    this.all = button('All', 'show all', () => this.show(this.full));
    const tools = element('div', { class: 'dal-tools' }, this.now,
      button('+', 'zoom in', () => this.zoom(0.5)), button('−', 'zoom out', () => this.zoom(2)), this.all);
    this.panels = numbers.panels.map((panel, k) => new Panel(this, panel, read, k + 1 === numbers.panels.length ? this.marks : []));
    const hint = element('p', { class: 'dal-hint', id: 'plot-keys' },
      `Drag or turn the wheel to zoom, double click to show all. Keys: arrows move the cursor, + and − zoom, 0 shows all.`);
    this.root = element('section', { class: 'dal-plot', 'aria-label': `plots over ${this.x.name}` }, tools, ...this.panels.map((p) => p.figure), hint);
    host.append(this.root);
    new ResizeObserver(() => this.draw()).observe(this.root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.show(this.full);
  }

  /** A place on the axis as people read it. */
  place(x) {
    return withUnit(six(this.x.power ? 10 ** x : x), this.x.unit);
  }

  /** The row nearest to a place on the axis. */
  nearest(x) {
    const xs = this.x.values;
    const next = first(xs, x);
    if (next === 0) return 0;
    return next === xs.length || x - xs[next - 1] < xs[next] - x ? next - 1 : next;
  }

  /** Shows a part of the axis, at least some rows wide and within all there is. */
  show([low, high]) {
    const [start, end] = this.full;
    const least = (end - start) * Math.max(1e-9, Math.min(0.5, 4 / Math.max(8, this.x.values.length)) / 10);
    const width = Math.min(end - start, Math.max(high - low, least));
    const from = Math.min(Math.max((low + high - width) / 2, start), end - width);
    this.view = width >= end - start ? this.full : [from, from + width];
    this.all.disabled = this.view === this.full;
    const { dataset } = this.root;
    [dataset.from, dataset.to] = this.view;
    this.draw();
  }

  /** Makes the part that is shown so many times as wide, about a place. */
  zoom(factor, about = this.mark ? this.mark[0] : this.row === null ? (this.view[0] + this.view[1]) / 2 : this.x.values[this.row]) {
    const at = Math.min(Math.max(about, this.view[0]), this.view[1]);
    this.show([at - (at - this.view[0]) * factor, at + (this.view[1] - at) * factor]);
  }

  move(by) {
    this.show([this.view[0] + by, this.view[1] + by]);
  }

  /** Puts the cursor on a row or a mark, and the part that is shown where it can be seen. */
  go(row, mark = null) {
    this.row = row;
    this.mark = mark;
    const x = mark ? mark[0] : row === null ? this.view[0] : this.x.values[row];
    const past = x < this.view[0] ? x - this.view[0] : x > this.view[1] ? x - this.view[1] : 0;
    if (past) this.move(past);
    else this.draw();
  }

  draw() {
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--dal-${name}`).trim();
    const look = { ink: colour('ink'), faint: colour('faint'), grid: colour('grid'), axis: colour('axis'), paper: colour('paper'), band: colour('band') };
    look.series = Array.from({ length: SERIES }, (_, k) => colour(`line${k}`));
    const at = this.row === null ? '' : this.place(this.x.values[this.row]);
    this.now.textContent = this.mark ? '' : at && `${this.x.name} = ${at}`;
    this.root.dataset.at = at;
    this.panels.forEach((panel) => panel.fit());
    // Panels under each other have one left edge.
    const left = Math.max(...this.panels.map((panel) => panel.labelWidth())) + 14;
    this.panels.forEach((panel) => panel.draw(left, look));
  }
}

/** One panel: its heading with the values at the cursor, and its canvas. */
class Panel {
  constructor(plots, { title, lines }, read, points) {
    this.plots = plots;
    this.title = title;
    this.points = points;
    this.lines = lines.map((line) => ({ ...line, values: read(line.values), shown: element('b', {}) }));
    this.found = element('b', {});
    // The unit of all lines is in the heading.
    const shared = title.includes('[');
    const sign = (k) => element('span', { class: `dal-sign dal-line${k % SERIES}`, 'aria-hidden': 'true' });
    const name = (line) => (shared || !line.unit || line.name.includes('[') ? line.name : `${line.name} [${line.unit}]`);
    const keys = this.lines.map((line, k) => element('span', { class: 'dal-key' }, sign(k), name(line), ' ', line.shown));
    if (points.length) keys.push(element('span', { class: 'dal-key' }, this.found));
    this.canvas = element('canvas', {
      role: 'slider', tabindex: '0', 'aria-label': `cursor of ${title || lines.map((l) => l.name).join(', ')}`, 'aria-describedby': 'plot-keys',
      'aria-valuemin': '0', 'aria-valuemax': String(Math.max(0, plots.x.values.length - 1)), 'aria-valuenow': '0', 'aria-valuetext': 'none',
    });
    this.figure = element('figure', {}, element('figcaption', {}, element('strong', {}, title), ...keys), this.canvas);
    this.listen();
  }

  /** The range of what is seen, with the ends of lines between rows. */
  fit() {
    const { view, x } = this.plots;
    const [from, to] = [first(x.values, view[0]), first(x.values, view[1], true)];
    let [low, high] = [Infinity, -Infinity];
    const see = (v) => {
      if (!Number.isFinite(v)) return;
      if (v < low) low = v;
      if (v > high) high = v;
    };
    for (const { values } of this.lines) {
      for (let k = from; k < to; k++) see(values[k]);
      see(edge(x.values, values, from, view[0]));
      see(edge(x.values, values, to, view[1]));
    }
    for (const [at, height] of this.points) if (at >= view[0] && at <= view[1]) see(height);
    if (!(low <= high)) this.points.forEach((point) => see(point[1]));
    // The axes belong to the picture of marks in the plane.
    if (!this.lines.length) see(0);
    [low, high] = widened(low, high);
    const room = 0.06 * (high - low);
    [this.low, this.high] = [low - room, high + room];
    [this.from, this.to] = [Math.max(0, from - 1), Math.min(x.values.length, to + 1)];
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    this.step = roundStep((this.high - this.low) / Math.max(2, this.height / 34));
  }

  labels() {
    return marks(this.low, this.high, this.step).map((k) => [k * this.step, tick(k * this.step, this.step)]);
  }

  labelWidth() {
    const g = this.canvas.getContext('2d');
    g.font = FONT;
    return Math.max(24, ...this.labels().map(([, text]) => g.measureText(text).width));
  }

  draw(left, look) {
    this.left = left;
    const { canvas, width, height, plots } = this;
    const fine = window.devicePixelRatio || 1;
    const [wide, tall] = [Math.round(width * fine), Math.round(height * fine)];
    if (canvas.width !== wide || canvas.height !== tall) [canvas.width, canvas.height] = [wide, tall];
    const g = canvas.getContext('2d');
    g.setTransform(fine, 0, 0, fine, 0, 0);
    g.clearRect(0, 0, width, height);
    const up = (v) => height - BOTTOM - ((height - TOP - BOTTOM) * (v - this.low)) / (this.high - this.low);
    const across = (x) => this.across(x);
    this.axes(g, across, up, look);
    g.save();
    g.beginPath();
    g.rect(left, TOP, width - left - RIGHT, height - TOP - BOTTOM);
    g.clip();
    this.lines.forEach((line, k) => this.curve(g, line.values, across, up, look, k));
    for (const [x, y, stable] of this.points) sign(g, across(x), up(y), stable, look);
    if (this.band) {
      g.fillStyle = look.band;
      g.fillRect(Math.min(...this.band), TOP, Math.abs(this.band[1] - this.band[0]), height - TOP - BOTTOM);
    }
    this.cursor(g, across, up, look);
    g.restore();
  }

  /** Where a value of the axis is on the canvas. */
  across(x) {
    const { view } = this.plots;
    return this.left + ((this.width - this.left - RIGHT) * (x - view[0])) / (view[1] - view[0]);
  }

  /** The value of the axis under a place of the canvas. */
  under(at) {
    const { view } = this.plots;
    const part = (at - this.left) / Math.max(1, this.width - this.left - RIGHT);
    return view[0] + (view[1] - view[0]) * Math.min(1, Math.max(0, part));
  }

  axes(g, across, up, look) {
    const { width, height, left, plots } = this;
    const [right, bottom] = [width - RIGHT, height - BOTTOM];
    const rule = (...ends) => {
      g.beginPath();
      g.moveTo(ends[0], ends[1]);
      g.lineTo(ends[2], ends[3]);
      g.stroke();
    };
    g.font = FONT;
    g.lineWidth = 1;
    g.fillStyle = look.faint;
    g.strokeStyle = look.grid;
    g.textAlign = 'right';
    for (const [v, text] of this.labels()) {
      const y = Math.round(up(v)) + 0.5;
      rule(left, y, right, y);
      g.fillText(text, left - 6, y + 4);
    }
    if (!this.lines.length) {
      g.strokeStyle = look.axis;
      rule(left, Math.round(up(0)) + 0.5, right, Math.round(up(0)) + 0.5);
      const zero = Math.round(across(0)) + 0.5;
      if (zero > left && zero < right) rule(zero, TOP, zero, bottom);
      g.strokeStyle = look.grid;
    }
    // The name of the axis is at its right end; marks beside it have no number.
    const name = withUnit(plots.x.name, plots.x.unit && !plots.x.name.includes('[') ? `[${plots.x.unit}]` : '');
    const free = right - g.measureText(name).width - 10;
    g.fillText(name, right, height - 6);
    g.textAlign = 'center';
    for (const [x, text] of scale(plots.view, Math.max(2, (right - left) / 90), plots.x.power)) {
      const at = Math.round(across(x)) + 0.5;
      rule(at, TOP, at, bottom);
      if (at + g.measureText(text).width / 2 < free) g.fillText(text, at, height - 6);
    }
    g.strokeStyle = look.axis;
    g.strokeRect(left + 0.5, TOP + 0.5, Math.round(right - left), Math.round(bottom - TOP));
  }

  curve(g, values, across, up, look, k) {
    const xs = this.plots.x.values;
    g.strokeStyle = g.fillStyle = look.series[k % look.series.length];
    g.setLineDash(this.lines.length > 1 ? DASHES[k % DASHES.length] : []);
    g.lineWidth = 1.7;
    g.lineJoin = 'round';
    g.beginPath();
    let down = false;
    for (let i = this.from; i < this.to; i++) {
      const y = up(values[i]);
      if (!Number.isFinite(y)) down = false;
      else if (down) g.lineTo(across(xs[i]), y);
      else {
        g.moveTo(across(xs[i]), y);
        down = true;
      }
    }
    g.stroke();
    g.setLineDash([]);
    // Rows show as points where they are far apart.
    if ((this.to - this.from) * 9 > this.width) return;
    for (let i = this.from; i < this.to; i++) if (Number.isFinite(values[i])) dot(g, across(xs[i]), up(values[i]), 2.4);
  }

  /** The line at the cursor, with a dot on each curve and the values in the heading. */
  cursor(g, across, up, look) {
    const { row, mark, x } = this.plots;
    const said = [];
    if (row !== null && !mark) {
      const at = Math.round(across(x.values[row])) + 0.5;
      g.strokeStyle = look.ink;
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(at, TOP);
      g.lineTo(at, this.height - BOTTOM);
      g.stroke();
    }
    this.lines.forEach((line, k) => {
      line.shown.textContent = row === null || mark ? '' : withUnit(six(line.values[row]), line.name.includes('[') ? '' : line.unit);
      if (row === null || mark) return;
      said.push(`${line.name} = ${line.shown.textContent}`);
      g.fillStyle = look.series[k % look.series.length];
      if (Number.isFinite(line.values[row])) dot(g, across(x.values[row]), up(line.values[row]), 4);
    });
    this.found.textContent = '';
    if (mark && this.points.length) {
      const [stable, unstable] = this.lines.length ? ['stable', 'unstable'] : ['decays', 'grows'];
      const word = mark[2] === null ? 'undecided' : mark[2] ? stable : unstable;
      const [place, height] = [named(x.name, x.unit), named(this.title, this.lines[0]?.unit)];
      this.found.textContent = `${place(mark[0])}, ${height(mark[1])}: ${word}`;
      said.push(this.found.textContent);
      g.strokeStyle = look.ink;
      g.lineWidth = 1.5;
      g.beginPath();
      g.arc(across(mark[0]), up(mark[1]), 9, 0, 2 * Math.PI);
      g.stroke();
    }
    const place = row === null || mark ? '' : `${x.name} = ${this.plots.place(x.values[row])}: `;
    this.canvas.setAttribute('aria-valuenow', String(row ?? 0));
    this.canvas.setAttribute('aria-valuetext', said.length ? place + said.join(', ') : 'none');
  }

  listen() {
    const { canvas, plots } = this;
    const touches = new Map();
    let start = null;
    let pinched = false;
    const inside = (event) => {
      const area = canvas.getBoundingClientRect();
      return [event.clientX - area.left, event.clientY - area.top];
    };
    const point = (event) => {
      const [px, py] = inside(event);
      const far = ([x, y]) => Math.hypot(this.across(x) - px, this.upTo(y) - py);
      const close = this.points.reduce((best, m) => (!best || far(m) < far(best) ? m : best), null);
      plots.row = this.lines.length ? plots.nearest(this.under(px)) : null;
      plots.mark = close && far(close) < (this.lines.length ? 12 : REACH) ? close : null;
      plots.draw();
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button > 0) return;
      canvas.setPointerCapture(event.pointerId);
      touches.set(event.pointerId, event.clientX);
      start = event.pointerType === 'touch' ? null : inside(event)[0];
      pinched = touches.size > 1;
      if (!pinched) point(event);
    });
    canvas.addEventListener('pointermove', (event) => {
      if (touches.size > 1 && touches.has(event.pointerId)) return pinch(event);
      if (start !== null) {
        const at = Math.min(Math.max(inside(event)[0], this.left), this.width - RIGHT);
        this.band = Math.abs(at - start) > 5 ? [start, at] : null;
      }
      if (!pinched) point(event);
    });
    /** Two fingers keep what is under them. */
    const pinch = (event) => {
      const area = canvas.getBoundingClientRect();
      const other = [...touches].find(([id]) => id !== event.pointerId)[1] - area.left;
      const before = touches.get(event.pointerId) - area.left;
      const now = event.clientX - area.left;
      touches.set(event.pointerId, event.clientX);
      if (Math.abs(now - other) < 8 || (now - other) * (before - other) <= 0) return;
      const about = this.under(other);
      plots.zoom((before - other) / (now - other), about);
    };
    const leave = (event) => {
      touches.delete(event.pointerId);
      const band = this.band;
      this.band = null;
      start = null;
      if (band && event.type === 'pointerup') plots.show(band.map((at) => this.under(at)).sort((a, b) => a - b));
      else if (event.type === 'pointerup' && !pinched) plots.pinned = plots.row;
      if (!touches.size) pinched = false;
      plots.draw();
    };
    canvas.addEventListener('pointerup', leave);
    canvas.addEventListener('pointercancel', leave);
    canvas.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && !event.buttons && plots.go(plots.pinned));
    canvas.addEventListener('dblclick', () => plots.show(plots.full));
    canvas.addEventListener('wheel', (event) => {
      const sideways = event.shiftKey ? event.deltaX || event.deltaY : Math.abs(event.deltaX) > Math.abs(event.deltaY) ? event.deltaX : 0;
      // Where all is shown already, the wheel goes on to move the page.
      if (plots.view === plots.full && (sideways || event.deltaY > 0)) return;
      event.preventDefault();
      if (sideways) plots.move(((plots.view[1] - plots.view[0]) * sideways) / Math.max(1, this.width));
      else plots.zoom(Math.exp(0.0015 * event.deltaY), this.under(inside(event)[0]));
    }, { passive: false });
    canvas.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || !this.key(event.key, event.shiftKey)) return;
      event.preventDefault();
      plots.pinned = plots.row;
    });
  }

  upTo(v) {
    return this.height - BOTTOM - ((this.height - TOP - BOTTOM) * (v - this.low)) / (this.high - this.low);
  }

  /** Does what a key asks for; tells whether it was one of ours. */
  key(key, shift) {
    const { plots } = this;
    const ways = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
    if (ways[key] && !this.lines.length) {
      const places = [...this.points].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const next = places.indexOf(plots.mark) + Math.sign(ways[key]);
      plots.go(null, places[(next + places.length) % places.length] ?? null);
    } else if (ways[key] && shift) {
      plots.move(0.1 * ways[key] * (plots.view[1] - plots.view[0]));
    } else if (ways[key]) {
      // One row, or a two hundredth of what is seen where rows are closer.
      const [low, high] = plots.view.map((x) => plots.nearest(x));
      const by = ways[key] * Math.max(1, Math.round((high - low) / 200));
      const from = plots.row ?? (by > 0 ? low - by : high - by);
      plots.go(Math.min(Math.max(from + by, 0), plots.x.values.length - 1));
    } else if (key === 'Home' || key === 'End') plots.go(plots.nearest(plots.view[key === 'Home' ? 0 : 1]));
    else if (key === '+' || key === '=') plots.zoom(0.5);
    else if (key === '-') plots.zoom(2);
    else if (key === '0') plots.show(plots.full);
    else if (key === 'Escape') plots.go(null);
    else return false;
    return true;
  }
}

/** Index of the first value that is not below `x`, or with `after` of the first above it. */
function first(values, x, after = false) {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < x || (after && values[middle] === x)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The line before row `k` at a place between its ends. */
function edge(xs, values, k, x) {
  if (k < 1 || k >= xs.length || !(xs[k] > xs[k - 1])) return NaN;
  return values[k - 1] + ((values[k] - values[k - 1]) * (x - xs[k - 1])) / (xs[k] - xs[k - 1]);
}

/** A range that is not empty: what varies by less than 1e-9 of itself is drawn flat. */
function widened(low, high) {
  if (!(low <= high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (high - low > 1e-9 * size && high - low > 1e-290) return [low, high];
  const half = size > 1e-290 ? 0.1 * size : 1;
  return [low - half, high + half];
}

/** Marks of the horizontal axis with their texts. */
function scale([low, high], count, power) {
  if (power && high - low > 0.7) {
    const every = Math.ceil((high - low) / count);
    const steps = (high - low) * 9 < count ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : (high - low) * 3 < count ? [1, 2, 5] : [1];
    const tens = Array.from({ length: Math.floor(high) - Math.floor(low) + 1 }, (_, k) => Math.floor(low) + k).filter((k) => k % every === 0);
    const all = tens.flatMap((k) => steps.map((s) => k + Math.log10(s)));
    return all.filter((x) => x >= low && x <= high).map((x) => [x, six(10 ** x)]);
  }
  const [from, to] = power ? [10 ** low, 10 ** high] : [low, high];
  const step = roundStep((to - from) / count);
  const slack = 1e-9 * step;
  return marks(from - slack, to + slack, step).map((k) => [power ? Math.log10(k * step) : k * step, tick(k * step, step)]);
}

function dot(g, x, y, radius) {
  g.beginPath();
  g.arc(x, y, radius, 0, 2 * Math.PI);
  g.fill();
}

/** Full where stable, open where not, half where it is not known. */
function sign(g, x, y, stable, look) {
  g.strokeStyle = look.ink;
  g.fillStyle = look.paper;
  g.lineWidth = 1.6;
  dot(g, x, y, 5);
  g.fillStyle = look.ink;
  if (stable) dot(g, x, y, 5);
  g.beginPath();
  g.arc(x, y, 5, 0, 2 * Math.PI);
  g.stroke();
  if (stable !== null) return;
  g.beginPath();
  g.arc(x, y, 5, 0, Math.PI);
  g.fill();
}
