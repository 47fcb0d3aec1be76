// A model that computes in the page: its tapes as WebAssembly, the equation of constrained motion (U1) with rows that may be
// redundant, and Gragg's extrapolated midpoint rule from frame to frame. No dependencies.
//
//   const model = await Model.of(spec);
//   const film = model.film(model.settings());    // { parameters, start }: what the sliders say, in SI units
//
// `spec` is what `live.rs` writes. A state is x, then eta. Throws an Error with a sentence where there is no motion.

import { element, short } from './film.js';

const RANK = 1e-10; // part of a row's length that is left of one that follows from others
const NEAR = 3e-3; // part at which rows are so nearly dependent that a page does not follow them
const TOLERANCE = 1e-12; // of a step, relative to 1 and the state
const KEPT = 1e-13; // residual of a row that needs no projection
const ORDERS = 10; // columns of the extrapolation at most
const MAX_EVALUATIONS = 4e6;

/** Functions that the instruction set lacks, under the names that the module imports. */
const MATH = Object.fromEntries(
  ['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh', 'exp', 'log', 'sign', 'pow', 'atan2']
    .map((name) => [name, Math[name]]),
);

/** Numbers of columns by the number of the column and a place: those of the stretch from the last knot that is not above. */
const lookedUp = (lookups) => {
  const columns = new Map(lookups.flatMap(({ knots, columns }) => columns.map(([key, values]) => [key, { knots, values }])));
  return (key, x) => {
    const { knots, values } = columns.get(key);
    if (Number.isNaN(x)) return x;
    let [from, to] = [0, knots.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (knots[middle] <= x) from = middle + 1;
      else to = middle;
    }
    return values[from];
  };
};

const dot = (a, b) => a.reduce((sum, v, k) => sum + v * b[k], 0);

/** Rows as an orthonormal set, the longest remainder first, each orthogonalised twice; rows that follow are left out. */
class Rows {
  constructor(rows) {
    this.margin = 1; // the least part of a row that is independent of the others
    this.used = [];
    this.basis = [];
    this.parts = []; // of each row used along the vectors of the basis
    const lengths = rows.map((row) => Math.sqrt(dot(row, row)));
    const open = rows.map((_, k) => k).filter((k) => lengths[k] > 0);
    const rest = rows.map((row) => row.slice());
    const parts = rows.map(() => []);
    while (open.length) {
      open.sort((a, b) => dot(rest[b], rest[b]) / lengths[b] ** 2 - dot(rest[a], rest[a]) / lengths[a] ** 2);
      const k = open.shift();
      const row = rest[k];
      for (let turn = 0; turn < 2; turn++) {
        this.basis.forEach((q, j) => {
          const part = dot(row, q);
          parts[k][j] = (parts[k][j] ?? 0) + part;
          row.forEach((_, i) => (row[i] -= part * q[i]));
        });
      }
      const left = Math.sqrt(dot(row, row));
      if (left <= RANK * lengths[k]) break;
      this.margin = left / lengths[k];
      const q = row.map((v) => v / left);
      parts[k][this.basis.length] = left;
      this.basis.push(q);
      this.used.push(k);
      this.parts.push(parts[k]);
      for (const other of open) {
        const part = dot(rest[other], q);
        parts[other][this.basis.length - 1] = part;
        rest[other].forEach((_, i) => (rest[other][i] -= part * q[i]));
      }
    }
  }

  /** The shortest y with row . y = e for every row that was used. */
  solve(e) {
    const y = new Array(this.basis[0]?.length ?? 0).fill(0);
    const z = [];
    this.used.forEach((k, r) => {
      let left = e[k];
      for (let j = 0; j < r; j++) left -= this.parts[r][j] * z[j];
      z[r] = left / this.parts[r][r];
      this.basis[r].forEach((q, i) => (y[i] += z[r] * q));
    });
    return y;
  }
}

/** The Cholesky factor of a symmetric positive definite matrix, rows of its lower triangle. */
function cholesky(M, n) {
  const L = [];
  for (let i = 0; i < n; i++) {
    L.push(new Array(n).fill(0));
    for (let j = 0; j <= i; j++) {
      let s = M[i * n + j];
      for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i === j && !(s > 0)) throw new Error('the mass matrix is not positive definite here');
      L[i][j] = i === j ? Math.sqrt(s) : s / L[j][j];
    }
  }
  return L;
}

function forward(L, b) {
  const y = b.slice();
  for (let i = 0; i < y.length; i++) {
    for (let k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
    y[i] /= L[i][i];
  }
  return y;
}

function backward(L, b) {
  const y = b.slice();
  for (let i = y.length - 1; i >= 0; i--) {
    for (let k = i + 1; k < y.length; k++) y[i] -= L[k][i] * y[k];
    y[i] /= L[i][i];
  }
  return y;
}

export class Model {
  static async of(spec) {
    const bytes = Uint8Array.from(atob(spec.module), (c) => c.charCodeAt(0));
    const { instance } = await WebAssembly.instantiate(bytes, { m: { ...MATH, lookup: lookedUp(spec.lookups ?? []) } });
    return new Model(spec, instance.exports);
  }

  constructor(spec, exported) {
    this.spec = spec;
    this.run = exported;
    this.numbers = new Float64Array(exported.memory.buffer);
    this.evaluations = 0;
  }

  /** The values of the model, as sliders begin. */
  settings() {
    return { parameters: new Map(), start: new Map() };
  }

  /** Calls a function of the module at a state; its results, as a view that the next call overwrites. */
  call(name, t, x, eta) {
    const { inputs, outputs } = this.spec;
    this.numbers[0] = t;
    this.numbers.set(x, 1);
    this.numbers.set(eta, 1 + x.length);
    this.numbers.set(this.p, 1 + x.length + eta.length);
    this.run[name](0, 8 * inputs);
    return this.numbers.subarray(inputs, inputs + outputs[name]);
  }

  /** Arrays that the results of a function belong to, by the places that the model gives. */
  spread(name, sizes, t, x, eta) {
    const out = this.call(name, t, x, eta);
    const arrays = sizes.map((size) => new Array(size).fill(0));
    this.spec.places[name].forEach(([array, index], k) => (arrays[array][index] = out[k]));
    return arrays;
  }

  /** Parameters: those that are set, and the others as the model defines them from earlier ones. */
  define(set) {
    const { n, nx, parameters } = this.spec;
    this.p = parameters.map((p, k) => set.get(k) ?? p.value);
    const [x, eta] = [new Array(nx).fill(0), new Array(n).fill(0)];
    for (let turn = 0; turn < parameters.length; turn++) {
      const defined = this.call('parameters', 0, x, eta);
      const before = this.p;
      this.p = before.map((_, k) => set.get(k) ?? defined[k]);
      if (this.p.every((v, k) => v === before[k])) break;
    }
  }

  residuals(t, x, eta) {
    const { m } = this.spec;
    const [phi, psi] = this.spread('residuals', [m, m], t, x, eta);
    const kept = this.spec.invariants ? [...this.call('invariants', t, x, eta)] : [];
    return { phi: phi.filter((_, k) => this.spec.holonomic[k]), psi, kept };
  }

  /** x', eta' at a state (U1 with U3 for prescribed work). */
  rates(t, y) {
    if (++this.evaluations > MAX_EVALUATIONS) throw new Error('this motion takes too many steps for a page');
    const { n, nx, m } = this.spec;
    const [x, eta] = [y.slice(0, nx), y.slice(nx)];
    const [xDot, M, Q, A, b] = this.spread('terms', [nx, n * n, n, m * n, m], t, x, eta);
    const L = cholesky(M, n);
    const rows = new Rows(Array.from({ length: m }, (_, i) => forward(L, A.slice(i * n, (i + 1) * n))));
    this.rank ??= rows.used.length;
    if (rows.margin < NEAR || rows.used.length !== this.rank) throw new Error(`the constraints lose rank at t = ${short(t)}: no page follows a motion there`);
    const free = forward(L, Q);
    const e = b.map((right, i) => right - dot(A.slice(i * n, (i + 1) * n), backward(L, free)));
    const correction = m ? rows.solve(e) : free.map(() => 0);
    const whole = free.map((v, k) => v + (correction[k] ?? 0));
    if (this.spec.nonideal) {
      const C = forward(L, [...this.call('nonideal', t, x, eta)]);
      rows.basis.forEach((q) => {
        const part = dot(C, q);
        q.forEach((v, k) => (C[k] -= part * v));
      });
      C.forEach((v, k) => (whole[k] += v));
    }
    return [...xDot, ...backward(L, whole)];
  }

  /** Gradients of equations by central differences, with respect to the entries that are free. */
  slopes(equations, v, free) {
    const columns = free.map((k) => {
      const h = 6e-6 * Math.max(1, Math.abs(v[k]));
      const [up, down] = [v.slice(), v.slice()];
      up[k] += h;
      down[k] -= h;
      const [a, b] = [equations(up), equations(down)];
      return a.map((value, i) => (value - b[i]) / (up[k] - down[k]));
    });
    return equations(v).map((_, i) => columns.map((column) => column[i]));
  }

  /** The solution of equations nearest to a guess, with what is held kept: v <- guess + J^+ (J (v - guess) - r). */
  nearest(equations, guess, held) {
    const free = guess.map((_, k) => k).filter((k) => !held[k]);
    let v = guess.slice();
    for (let turn = 0; turn < 60; turn++) {
      const r = equations(v);
      if (!r.length) return v;
      const J = this.slopes(equations, v, free);
      const away = free.map((k) => v[k] - guess[k]);
      const to = new Rows(J).solve(J.map((row, i) => dot(row, away) - r[i]));
      let moved = 0;
      const next = v.slice();
      free.forEach((k, i) => {
        next[k] = guess[k] + (to[i] ?? 0);
        moved = Math.max(moved, Math.abs(next[k] - v[k]) / Math.max(1, Math.abs(v[k])));
      });
      v = next;
      if (!v.every(Number.isFinite)) break;
      if (moved < 1e-14) break;
    }
    const left = Math.max(0, ...equations(v).map(Math.abs));
    if (!(left < 1e-9)) throw new Error('there is no start that satisfies the constraints with these values');
    return v;
  }

  /** The state at the start: what is given, completed by the constraints. */
  begin(start) {
    const { n, nx, t0, initial } = this.spec;
    const zero = [new Array(nx).fill(0), new Array(n).fill(0)];
    const values = [...this.call('initial', t0, ...zero)];
    const given = initial.map((item, k) => ({ ...item, value: start.get(k) ?? values[k] }));
    const guess = [zero[0].slice(), zero[1].slice()];
    const held = [guess[0].map(() => false), guess[1].map(() => false)];
    for (const { kind, index, fixed, value } of given.filter((item) => item.kind < 2)) {
      guess[kind][index] = value;
      held[kind][index] = fixed;
    }
    this.kept = this.residuals(t0, ...guess).kept;
    const positions = (x) => this.placed(t0, x);
    const x = this.nearest(positions, guess[0], held[0]);
    const asked = given.filter((item) => item.kind === 2 && item.fixed);
    const speeds = (eta) => {
      const rates = asked.length ? this.call('terms', t0, x, eta) : [];
      return [...asked.map((item) => this.rate(rates, item.index) - item.value), ...this.residuals(t0, x, eta).psi];
    };
    return [...x, ...this.nearest(speeds, guess[1], held[1])];
  }

  rate(terms, index) {
    const k = this.spec.places.terms.findIndex(([array, place]) => array === 0 && place === index);
    return k < 0 ? 0 : terms[k];
  }

  placed(t, x) {
    const { phi, kept } = this.residuals(t, x, new Array(this.spec.n).fill(0));
    return [...phi, ...kept.map((value, k) => value - this.kept[k])];
  }

  /** Brings a state back to the constraints. */
  project(t, y) {
    const { n, nx, m } = this.spec;
    if (!m && !this.spec.invariants) return y;
    let x = y.slice(0, nx);
    const all = x.map((_, k) => k);
    const equations = (v) => this.placed(t, v);
    for (let turn = 0; turn < 5; turn++) {
      const r = equations(x);
      if (Math.max(0, ...r.map(Math.abs)) < KEPT) break;
      const change = new Rows(this.slopes(equations, x, all)).solve(r);
      x = x.map((v, k) => v - (change[k] ?? 0));
    }
    let eta = y.slice(nx);
    for (let turn = 0; turn < 3 && m; turn++) {
      const { psi } = this.residuals(t, x, eta);
      if (Math.max(0, ...psi.map(Math.abs)) < KEPT) break;
      const change = new Rows(this.slopes((v) => this.residuals(t, x, v).psi, eta, eta.map((_, k) => k))).solve(psi);
      eta = eta.map((v, k) => v - (change[k] ?? 0));
    }
    return [...x, ...eta];
  }

  /** From t to end in steps of Gragg, Bulirsch and Stoer. */
  advance(t, y, end) {
    let h = end - t;
    while (t < end) {
      h = Math.min(h, end - t);
      if (!(h > 1e-13 * Math.max(1, Math.abs(t)))) throw new Error(`the step becomes too small at t = ${short(t)}`);
      const next = this.extrapolated(t, y, h);
      if (next) {
        t = h === end - t ? end : t + h;
        y = this.project(t, next);
        h *= 2;
      } else {
        h /= 2;
      }
    }
    return y;
  }

  /** One step, or null where the tolerance is not met. */
  extrapolated(t, y, h) {
    const first = this.rates(t, y);
    let table = [];
    for (let k = 0; k < ORDERS; k++) {
      const steps = 2 * (k + 1);
      const dt = h / steps;
      let [before, now] = [y, y.map((v, i) => v + dt * first[i])];
      for (let s = 1; s < steps; s++) {
        const f = this.rates(t + s * dt, now);
        [before, now] = [now, before.map((v, i) => v + 2 * dt * f[i])];
      }
      const f = this.rates(t + h, now);
      const row = [now.map((v, i) => (v + before[i] + dt * f[i]) / 2)];
      for (let j = 1; j <= k; j++) {
        const factor = ((k + 1) / (k + 1 - j)) ** 2 - 1;
        row.push(row[j - 1].map((v, i) => v + (v - table[j - 1][i]) / factor));
      }
      if (k > 0) {
        const error = row[k].reduce((worst, v, i) => {
          const scale = TOLERANCE * (1e-3 + Math.max(Math.abs(v), Math.abs(y[i])));
          return Math.max(worst, Math.abs(v - row[k - 1][i]) / scale);
        }, 0);
        if (error <= 1) return row[k];
        if (!Number.isFinite(error)) return null;
      }
      table = row;
    }
    return null;
  }

  /** The motion with these settings as a film for the player, and its states in the order of tables. */
  film({ parameters, start }) {
    const { t0, t1, frames, nx, film } = this.spec;
    this.define(parameters);
    [this.evaluations, this.rank] = [0, null];
    let y = this.begin(start);
    const width = film.width;
    const times = new Float64Array(frames);
    const tracks = new Float64Array(frames * width);
    const energies = film.energies.map((name) => ({ name, values: new Float64Array(frames) }));
    const states = [];
    for (let k = 0; k < frames; k++) {
      const t = k === frames - 1 ? t1 : t0 + ((t1 - t0) * k) / (frames - 1);
      if (k > 0) y = this.advance(times[k - 1], y, t);
      times[k] = t;
      states.push(y);
      const out = this.call('frame', t, y.slice(0, nx), y.slice(nx));
      for (let c = 0; c < width; c++) tracks[k * width + c] = out[c];
      energies.forEach((series, c) => (series.values[k] = out[width + c]));
    }
    if (!parameters.size && !start.size) this.compare(y);
    const shapes = film.shapes.map((shape) => this.ranged(shape, tracks, width));
    const shown = this.spec.parameters.map((p, k) => ({ name: p.name, unit: p.unit, value: this.p[k] / p.size }));
    return {
      ...film, frames, times, tracks, energies, shapes, states, parameters: shown,
      box: box(film, tracks), arrows: [], couples: [], points: [], forceScale: 0, residuals: [],
    };
  }

  /** The motion of the model as it stands must end where the engine's does. */
  compare(y) {
    const { last } = this.spec;
    const off = last.reduce((worst, v, k) => Math.max(worst, Math.abs(v - y[k]) / Math.max(1, Math.abs(v))), 0);
    if (!(off < 1e-6)) throw new Error(`this page differs from Dalembert by ${short(off)} at the end: its motion is too sensitive to be shown`);
  }

  /** A gauge with the range of its values. */
  ranged(shape, tracks, width) {
    if (shape.kind !== 'gauge') return shape;
    const values = tracks.filter((_, k) => k % width === shape.value);
    return { ...shape, range: [Math.min(...values), Math.max(...values)] };
  }
}

/** The box around everything that is drawn. */
function box({ shapes, dimension, width }, tracks) {
  const low = new Array(dimension).fill(Infinity);
  const high = new Array(dimension).fill(-Infinity);
  for (let from = 0; from < tracks.length; from += width) {
    for (const shape of shapes.filter((s) => s.kind !== 'gauge')) {
      const edges = shape.form === 'box' ? shape.axes.flatMap((at) => Array.from(tracks.slice(from + at, from + at + dimension))) : [];
      const radius = shape.radius === undefined || shape.radius === null ? 0 : Math.abs(tracks[from + shape.radius]);
      const around = Math.max(radius, 0.5 * Math.hypot(...edges));
      for (const at of shape.at) {
        for (let c = 0; c < dimension; c++) {
          low[c] = Math.min(low[c], tracks[from + at + c] - around);
          high[c] = Math.max(high[c], tracks[from + at + c] + around);
        }
      }
    }
  }
  return low.every(Number.isFinite) ? { low, high } : { low: low.map(() => -1), high: high.map(() => 1) };
}

/**
 * Sliders for parameters and starting values beside a player; calls `show(film)` or `fail(message)` as they move. `asked` has
 * values to begin with by the names of the sliders, in their units.
 */
export function sliders(host, model, asked, show, fail) {
  const settings = model.settings();
  const compute = () => {
    try {
      show(model.film(settings));
      fail('');
    } catch (error) {
      fail(error.message);
    }
  };
  const slider = (name, label, value, unit, size, store, k) => {
    const id = `dal-set-${store}-${k}`;
    const given = Number.parseFloat(asked.get(name));
    const reach = Math.max(Math.abs(value), 1);
    const [low, high] = value > 0 && store === 'parameters' ? [0.05 * value, 2 * value] : [value - reach, value + reach];
    const input = element('input', { type: 'range', id, min: low, max: high, step: 'any', value });
    const shown = element('output', { for: id }, `${short(value)}${unit ? ` ${unit}` : ''}`);
    const take = () => {
      settings[store].set(k, Number(input.value) * size);
      shown.textContent = `${short(Number(input.value))}${unit ? ` ${unit}` : ''}`;
    };
    input.addEventListener('input', () => {
      take();
      compute();
    });
    if (Number.isFinite(given)) {
      input.min = Math.min(low, given);
      input.max = Math.max(high, given);
      input.value = given;
      take();
    }
    return element('div', { class: 'dal-slider' }, element('label', { for: id }, label), input, shown);
  };
  const { parameters, initial } = model.spec;
  const rows = [
    ...parameters.map((p, k) => p.free && slider(p.name, p.name, p.value / p.size, p.unit, p.size, 'parameters', k)),
    ...initial.map((s, k) => s.fixed && slider(s.name, `${s.name} at the start`, s.value, s.unit, 1, 'start', k)),
  ].filter(Boolean);
  const again = element('button', { type: 'button' }, 'as in the model');
  again.addEventListener('click', () => {
    settings.parameters.clear();
    settings.start.clear();
    host.replaceChildren();
    sliders(host, model, new Map(), show, fail);
  });
  host.append(...rows.slice(0, 24), ...(rows.length ? [again] : []));
  compute();
}
