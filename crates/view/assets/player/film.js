// Reading a film: the JSON that `Film::to_json` writes (its form is described in film/json.rs).

/** The film with its numbers as typed arrays, and ways to ask for an instant. */
export function readFilm(json) {
  if (json.format !== 2) throw new Error(`this player does not know films of format ${json.format}`);
  const frames = json.frames;
  const decodeSeries = (s) => ({ name: s.name, values: doubles(s.values) });
  const film = {
    ...json,
    times: doubles(json.times),
    tracks: doubles(json.tracks),
    arrows: json.arrows.map((a) => ({ ...a, forces: singles(a.forces) })),
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

// Typed arrays have the order of the machine; all machines with browsers are little-endian. A film that was computed in the
// page has its arrays already.
const doubles = (text) => (typeof text === 'string' ? new Float64Array(bytes(text)) : text);
const singles = (text) => new Float32Array(bytes(text));
