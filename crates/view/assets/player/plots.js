// Plots of values over time beside the picture, with a cursor that moves along.

import { element, instant, marks, roundStep, short, tick } from './film.js';

const LEFT = 52;
const RIGHT = 18;
const TOP = 8;
const BOTTOM = 20;
const DASHES = [[], [7, 4], [2, 3]];

/** A plot of some series; `logarithmic` for what is small and positive. */
class Plot {
  constructor(series, times, logarithmic) {
    this.series = series;
    this.times = times;
    this.logarithmic = logarithmic;
    const values = series.flatMap((s) => Array.from(s.values, (v) => this.height(v))).filter(Number.isFinite);
    let low = values.reduce((a, b) => Math.min(a, b), Infinity);
    let high = values.reduce((a, b) => Math.max(a, b), -Infinity);
    if (!(low <= high)) [low, high] = logarithmic ? [-17, -16] : [0, 1];
    const least = logarithmic ? 1 : Math.max(1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-290);
    const room = high - low > least ? 0.06 * (high - low) : 0.5 * (least - (high - low)) + (logarithmic ? 0 : 0.1 * Math.abs(high) || 1);
    [this.low, this.high] = [low - room, high + room];
  }

  /** What is plotted for a value: itself, or its decimal logarithm with zeros at the bottom. */
  height(v) {
    return this.logarithmic ? Math.log10(Math.max(Math.abs(v), 1e-17)) : v;
  }

  /** The time under a place of the canvas. */
  timeAt(x, width) {
    const [start, end] = [this.times[0], this.times[this.times.length - 1]];
    const part = (x - LEFT) / Math.max(1, width - LEFT - RIGHT);
    return start + (end - start) * Math.min(1, Math.max(0, part));
  }

  draw(g, width, height, t, look) {
    g.clearRect(0, 0, width, height);
    const [start, end] = [this.times[0], this.times[this.times.length - 1]];
    const across = (time) => LEFT + ((width - LEFT - RIGHT) * (time - start)) / (end - start || 1);
    const up = (v) => height - BOTTOM - ((height - TOP - BOTTOM) * (v - this.low)) / (this.high - this.low);
    this.axes(g, width, height, across, up, look);
    this.series.forEach((s, k) => {
      g.strokeStyle = look.series[k % look.series.length];
      g.setLineDash(DASHES[k % DASHES.length]);
      g.lineWidth = 1.6;
      g.beginPath();
      let down = false;
      s.values.forEach((v, i) => {
        const y = up(this.height(v));
        if (!Number.isFinite(y)) down = false;
        else if (down) g.lineTo(across(this.times[i]), y);
        else {
          g.moveTo(across(this.times[i]), y);
          down = true;
        }
      });
      g.stroke();
    });
    g.setLineDash([]);
    g.strokeStyle = look.ink;
    g.lineWidth = 1;
    g.beginPath();
    g.moveTo(across(t), TOP);
    g.lineTo(across(t), height - BOTTOM);
    g.stroke();
  }

  axes(g, width, height, across, up, look) {
    g.font = '11px system-ui, sans-serif';
    g.lineWidth = 1;
    g.fillStyle = look.faint;
    g.strokeStyle = look.grid;
    const wish = (this.high - this.low) / Math.max(2, height / 34);
    const step = this.logarithmic ? Math.max(1, Math.ceil(wish)) : roundStep(wish);
    g.textAlign = 'right';
    for (const k of marks(this.low, this.high, step)) {
      const y = Math.round(up(k * step)) + 0.5;
      g.beginPath();
      g.moveTo(LEFT, y);
      g.lineTo(width - RIGHT, y);
      g.stroke();
      g.fillText(this.logarithmic ? `1e${k * step}` : tick(k * step, step), LEFT - 6, y + 4);
    }
    const [start, end] = [this.times[0], this.times[this.times.length - 1]];
    if (!(end > start)) return;
    const unit = roundStep((end - start) / Math.max(2, width / 80));
    g.textAlign = 'center';
    const last = marks(start, end + 1e-9 * unit, unit).at(-1);
    for (const k of marks(start, end + 1e-9 * unit, unit)) {
      const x = Math.round(across(k * unit)) + 0.5;
      g.beginPath();
      g.moveTo(x, TOP);
      g.lineTo(x, height - BOTTOM);
      g.stroke();
      g.fillText(`${tick(k * unit, unit)}${k === last ? ' s' : ''}`, x, height - 6);
    }
  }

  /** Values at a time, as text by series. */
  valuesAt(film, t) {
    const { low, high, part } = instant(film, t);
    return this.series.map((s) => short(part < 0.5 ? s.values[low] : s.values[high]));
  }
}

/** A figure with a plot, its legend, and values at the cursor; `go` is called with the time that is clicked at. */
export function chart(title, series, film, { go, of = '', logarithmic = false }) {
  const plot = new Plot(series, film.times, logarithmic);
  const canvas = element('canvas', { role: 'img', 'aria-label': `${title} over time; click to go to an instant` });
  const values = series.map(() => element('b', {}));
  const line = (k) => element('span', { class: `dal-line dal-series${k}`, 'aria-hidden': 'true' });
  const legend = series.map((s, k) => element('span', { class: 'dal-key' }, line(k), `${of}${s.name} `, values[k]));
  const caption = element('figcaption', {}, element('strong', {}, title), ...legend);
  const seek = (event) => {
    const area = canvas.getBoundingClientRect();
    go(plot.timeAt(event.clientX - area.left, area.width));
  };
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    seek(event);
  });
  canvas.addEventListener('pointermove', (event) => event.buttons && seek(event));
  return { plot, canvas, values, figure: element('figure', {}, caption, canvas) };
}
