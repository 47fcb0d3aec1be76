// Reading a film: the JSON that `Film::to_json` writes (its form is described in film/json.rs).

/** The film with its numbers as typed arrays, and ways to ask for an instant. */
export function readFilm(json) {
  if (json.format !== 2 && json.format !== 3) throw new Error(`this player does not know films of format ${json.format}`);
  const frames = json.frames;
  const packed = json.format === 3;
  const forces = packed ? (text) => columns(text, frames, json.points.length * json.dimension) : singles;
  const decodeSeries = (s) => ({ name: s.name, values: doubles(s.values) });
  const film = {
    ...json,
    times: doubles(json.times),
    tracks: packed ? columns(json.tracks, frames, json.width) : doubles(json.tracks),
    arrows: json.arrows.map((a) => ({ ...a, forces: forces(a.forces) })),
    couples: (json.couples || []).map((c) => ({ ...c, values: singles(c.values) })),
    energies: json.energies.map(decodeSeries),
    residuals: json.residuals.map(decodeSeries),
  };
  film.start = frames ? film.times[0] : 0;
  film.end = frames ? film.times[frames - 1] : 0;
  return film;
}

/** The frame at or before a time, and how far the time lies towards the next one. */
export function instant(film, t) {
  const times = film.times;
  let low = 0;
  let high = Math.max(0, times.length - 1);
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle;
    else high = middle;
  }
  const gap = times[high] - times[low];
  const part = gap > 0 ? Math.min(1, Math.max(0, (t - times[low]) / gap)) : 0;
  return { low, high, part };
}

/** `count` numbers of an array of frames at an instant, in a straight line between two frames. */
export function between(values, width, at, count, { low, high, part }) {
  const result = new Array(count);
  for (let k = 0; k < count; k++) {
    const a = values[low * width + at + k];
    const b = values[high * width + at + k];
    result[k] = part === 0 ? a : a + part * (b - a);
  }
  return result;
}

/** A number for people: four digits, and powers of ten where that would be long. */
export function short(value) {
  if (value === undefined || !Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) return value.toExponential(2).replace('e+', 'e');
  return String(Number(value.toPrecision(4)));
}

/** A number on an axis whose marks are `step` apart: as many digits as it takes to tell them apart. */
export function tick(value, step) {
  const clean = Number(value.toPrecision(15));
  if (Math.abs(clean) < 1e-6 * step) return '0';
  const size = Math.abs(clean);
  const digits = Math.min(15, Math.max(4, Math.ceil(Math.log10(size / step)) + 1));
  if (size < 1e-3 || size >= (digits > 6 ? 1e12 : 1e5)) return clean.toExponential(digits - 1).replace(/\.?0*e\+?/, 'e');
  return String(Number(clean.toPrecision(digits)));
}

/** Whole numbers k with `low <= k * step <= high`; few, and none where numbers are too coarse to count by. */
export function marks(low, high, step) {
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return count > 0 && count < 500 && Math.abs(first) < 1e15 ? Array.from({ length: count }, (_, k) => first + k) : [];
}

/** 1, 2 or 5 times a power of ten, at least the wish. */
export function roundStep(wish) {
  const power = 10 ** Math.floor(Math.log10(wish));
  return power * ([1, 2, 5].find((f) => f * power >= wish * 0.999) ?? 10);
}

/** A node of the page. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

function bytes(text) {
  const raw = atob(text);
  const result = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) result[k] = raw.charCodeAt(k);
  return result.buffer;
}

/** Numbers over the frames, column by column (their form is described in animation/columns.rs). */
function columns(text, frames, width) {
  const view = new DataView(bytes(text));
  const result = new Float64Array(frames * width);
  let at = 0;
  const double = () => view.getFloat64((at += 8) - 8, true);
  const whole = () => {
    let value = 0;
    let unit = 1;
    for (let more = true; more; unit *= 128) {
      const byte = view.getUint8(at++);
      value += (byte & 127) * unit;
      more = byte > 127;
    }
    return value % 2 ? -(value + 1) / 2 : value / 2;
  };
  for (let c = 0; c < width; c++) {
    const kind = view.getUint8(at++);
    const first = kind === 1 ? 0 : double();
    if (kind < 2) {
      for (let k = 0; k < frames; k++) result[k * width + c] = kind === 1 ? double() : first;
      continue;
    }
    const step = double();
    // What has been summed up so far, of each order.
    const sums = new Array(view.getUint8(at++)).fill(0);
    for (let k = 0; k < frames; k++) {
      let steps = whole();
      for (let order = 0; order < sums.length; order++) steps = sums[order] += steps;
      result[k * width + c] = first + step * steps;
    }
  }
  return result;
}

// Typed arrays have the order of the machine; all machines with browsers are little-endian. A film that was computed in the
// page has its arrays already.
const doubles = (text) => (typeof text === 'string' ? new Float64Array(bytes(text)) : text);
const singles = (text) => new Float32Array(bytes(text));
