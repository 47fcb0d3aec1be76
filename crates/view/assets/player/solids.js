// Solids with light, and joints as their symbols: what bodies look like in the plane and in space. In space everything is
// cut into pieces that are drawn from the farthest to the nearest.

import { between } from './film.js';

const LIGHT = [-0.42, -0.68, -0.6]; // towards the light: right, down, away from the eye; length 1
const AMBIENT = 0.5; // light in the shade, as a share of that in full light
const SIDES = 20; // of a cylinder
const RIM = 48; // corners of a circle
const ROD = 0.009; // radius of a thin rod, as a share of the size of the box
const POINT = 0.02; // and of a point mass
const JOINT = 0.016; // and of the symbol of a joint

const sum = (a, b, factor = 1) => a.map((x, k) => x + factor * b[k]);
const inner = (a, b) => a.reduce((s, x, k) => s + x * b[k], 0);
const length = (a) => Math.hypot(...a);
const unit = (a) => a.map((x) => x / (length(a) || 1));
const cross = ([a, b, c], [p, q, r]) => [b * r - c * q, c * p - a * r, a * q - b * p];

/** Two unit vectors at right angles to a normal and to each other. */
export function frameOf(normal) {
  const [a, b, c] = unit(normal);
  const u = unit(Math.abs(c) < 0.99 ? [-b, a, 0] : [0, -c, b]);
  return [u, cross([a, b, c], u)];
}

/** A colour `#rrggbb` under some light: 1 as it is, less towards black, more towards white. */
export function lit(color, light) {
  const parts = [1, 3, 5].map((k) => parseInt(color.slice(k, k + 2), 16));
  const shade = (v) => (light <= 1 ? v * light : v + (255 - v) * Math.min(1, light - 1));
  return `rgb(${parts.map((v) => Math.round(shade(v))).join(' ')})`;
}

/** Pieces of a picture that hide each other. */
export class Pieces {
  constructor(g, camera) {
    this.g = g;
    this.camera = camera;
    this.list = [];
  }

  /** Puts a piece; larger depths are farther away. */
  put(depth, draw) {
    if (Number.isFinite(depth)) this.list.push({ depth, draw });
  }

  /** Draws all pieces, the farthest first. */
  draw() {
    this.list.sort((a, b) => b.depth - a.depth).forEach((piece) => piece.draw(this.g));
    this.list = [];
  }

  /** Light on a face with this normal. */
  light(normal) {
    const n = unit(normal);
    const seen = this.camera.axes.map((axis) => inner(axis, n));
    return AMBIENT + (1.12 - AMBIENT) * Math.max(0, inner(seen, LIGHT));
  }

  /** A face with its outward normal; faces that look away are not drawn unless they have two sides. */
  face(corners, normal, color, twoSided = false, nearer = 0) {
    const points = corners.map((p) => this.camera.project(p));
    if (points.some((p) => !p)) return;
    const middle = corners.reduce((a, b) => sum(a, b)).map((x) => x / corners.length);
    const away = inner(this.camera.axes[2], normal) + inner(sum(middle, this.camera.centre, -1), normal) / (3.2 * this.camera.size);
    if (away > 0 && !twoSided) return;
    const fill = lit(color, this.light(away > 0 ? normal.map((x) => -x) : normal));
    const depth = points.reduce((a, p) => a + p[2], 0) / points.length - nearer;
    this.put(depth, (g) => polygon(g, points, fill, fill, 0.8));
  }

  cylinder(from, to, radius, color, caps = true) {
    const along = sum(to, from, -1);
    if (!(length(along) > 0)) return;
    const [u, v] = frameOf(along);
    // Long ones in parts, so that what lies across them is in front of one part and behind another.
    const parts = Math.min(8, Math.max(1, Math.round(length(along) / (6 * radius))));
    const ring = (share) => Array.from({ length: SIDES }, (_, k) => {
      const [c, s] = [Math.cos(2 * Math.PI * k / SIDES), Math.sin(2 * Math.PI * k / SIDES)];
      return from.map((x, i) => x + share * along[i] + radius * (c * u[i] + s * v[i]));
    });
    const rings = Array.from({ length: parts + 1 }, (_, k) => ring(k / parts));
    for (let part = 0; part < parts; part++) {
      for (let k = 0; k < SIDES; k++) {
        const next = (k + 1) % SIDES;
        const angle = 2 * Math.PI * (k + 0.5) / SIDES;
        const normal = u.map((x, i) => x * Math.cos(angle) + v[i] * Math.sin(angle));
        this.face([rings[part][k], rings[part][next], rings[part + 1][next], rings[part + 1][k]], normal, color);
      }
    }
    if (!caps) return;
    this.face(rings[0], unit(along).map((x) => -x), color);
    this.face(rings[parts], unit(along), color);
  }

  box(centre, edges, color) {
    edges.forEach((edge, k) => {
      const [a, b] = [edges[(k + 1) % 3], edges[(k + 2) % 3]];
      for (const side of [-0.5, 0.5]) {
        const corner = ([p, q]) => centre.map((x, i) => x + side * edge[i] + p * a[i] + q * b[i]);
        const corners = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]].map(corner);
        const normal = length(edge) > 0 ? unit(edge) : unit(cross(a, b));
        this.face(corners, normal.map((x) => Math.sign(side) * x), color);
      }
    });
  }

  ball(centre, radius, color, axes = []) {
    const p = this.camera.project(centre);
    if (!p) return;
    const pixels = radius * this.camera.scaleAt(p[2]);
    this.put(p[2], (g) => shadedDisc(g, p, pixels, color));
    // Lines of a globe on the side that is seen, so that its turn is.
    axes.forEach((axis, k) => this.greatCircle(centre, radius, axis, axes[(k + 1) % axes.length], color));
  }

  greatCircle(centre, radius, a, b, color) {
    const [u, v] = [unit(a), unit(b)];
    const at = (k) => {
      const angle = 2 * Math.PI * k / RIM;
      return u.map((x, i) => Math.cos(angle) * x + Math.sin(angle) * v[i]);
    };
    for (let k = 0; k < RIM; k++) {
      const [p, q] = [at(k), at(k + 1)];
      if (inner(this.camera.axes[2], p) > -0.02) continue;
      const ends = [p, q].map((d) => this.camera.project(sum(centre, d, 1.002 * radius)));
      if (ends.some((e) => !e)) continue;
      this.put(ends[0][2] - 0.02 * radius, (g) => stroke(g, ends, lit(color, 0.55), 1));
    }
  }

  /** A flat disk of some thickness, with a mark that turns with it. */
  disk(centre, radius, axis, mark, color) {
    const half = unit(axis).map((x) => 0.045 * radius * x);
    const ends = [sum(centre, half, -1), sum(centre, half)];
    const [u] = [unit(mark)];
    const v = cross(unit(axis), u);
    const rims = ends.map((end) => Array.from({ length: RIM }, (_, k) => {
      const [c, s] = [radius * Math.cos(2 * Math.PI * k / RIM), radius * Math.sin(2 * Math.PI * k / RIM)];
      return end.map((x, i) => x + c * u[i] + s * v[i]);
    }));
    for (let k = 0; k < RIM; k++) {
      const next = (k + 1) % RIM;
      const normal = sum(rims[0][k], ends[0], -1);
      this.face([rims[0][k], rims[0][next], rims[1][next], rims[1][k]], normal, lit2(color, 0.8));
    }
    rims.forEach((rim, side) => {
      const normal = unit(axis).map((x) => (side ? x : -x));
      const nearer = 0.02 * radius;
      this.face(rim, normal, color, false, nearer);
      for (const angle of [0, Math.PI / 2]) {
        const [c, s, w] = [Math.cos(angle), Math.sin(angle), angle ? 0.03 : 0.05];
        const along = u.map((x, i) => radius * (c * x + s * v[i]));
        const wide = u.map((x, i) => radius * w * (c * v[i] - s * x));
        const corners = [[0.12, -1], [0.94, -1], [0.94, 1], [0.12, 1]].map(([p, q]) => ends[side].map((x, i) => x + p * along[i] + q * wide[i]));
        this.face(corners, normal, lit2(color, 0.62), false, 2 * nearer);
      }
    });
  }

  hoop(centre, radius, axis, mark, color) {
    const u = unit(mark);
    const v = cross(unit(axis), u);
    const tube = Math.max(0.05 * radius, 0.5 * ROD * this.camera.size);
    const at = (k) => {
      const angle = 2 * Math.PI * k / RIM;
      return centre.map((x, i) => x + radius * (Math.cos(angle) * u[i] + Math.sin(angle) * v[i]));
    };
    for (let k = 0; k < RIM; k++) {
      const [from, to] = [at(k), at(k + 1)];
      const ends = [from, to].map((p) => this.camera.project(p));
      if (ends.some((p) => !p)) continue;
      const fill = lit(color, this.light(sum(sum(from, centre, -1), unit(axis), radius)));
      this.put(ends[0][2], (g) => stroke(g, ends, fill, 2 * tube * this.camera.scaleAt(ends[0][2])));
    }
    this.tube(centre, at(0), 0.35 * tube, color);
  }

  /** A thin round piece between two points: a wide line with a light one along it. */
  tube(from, to, radius, color) {
    const ends = [from, to].map((p) => this.camera.project(p));
    if (ends.some((p) => !p)) return;
    const depth = 0.5 * (ends[0][2] + ends[1][2]);
    const pixels = 2 * radius * this.camera.scaleAt(depth);
    this.put(depth, (g) => shadedLine(g, ends, pixels, color));
  }
}

const lit2 = (color, light) => `#${[1, 3, 5].map((k) => Math.round(parseInt(color.slice(k, k + 2), 16) * light).toString(16).padStart(2, '0')).join('')}`;

function polygon(g, points, fill, edge, width) {
  g.beginPath();
  points.forEach((p, k) => (k ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
  g.closePath();
  g.fillStyle = fill;
  g.fill();
  if (!edge) return;
  g.strokeStyle = edge;
  g.lineWidth = width;
  g.lineJoin = 'round';
  g.stroke();
}

function stroke(g, points, color, width) {
  g.beginPath();
  points.forEach((p, k) => (k ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
  g.strokeStyle = color;
  g.lineWidth = width;
  g.lineCap = 'round';
  g.lineJoin = 'round';
  g.stroke();
}

/** A ball as it is seen: light from above left. */
export function shadedDisc(g, p, radius, color, edge = lit(color, 0.45)) {
  if (!(radius > 0) || !Number.isFinite(radius)) return;
  const glow = g.createRadialGradient(p[0] - 0.36 * radius, p[1] - 0.42 * radius, 0.08 * radius, p[0], p[1], radius);
  glow.addColorStop(0, lit(color, 1.45));
  glow.addColorStop(0.45, lit(color, 1));
  glow.addColorStop(1, lit(color, 0.6));
  g.fillStyle = glow;
  g.beginPath();
  g.arc(p[0], p[1], radius, 0, 2 * Math.PI);
  g.fill();
  if (!edge) return;
  g.strokeStyle = edge;
  g.lineWidth = 1;
  g.stroke();
}

/** A round bar between two points of the screen: dark below, light above. */
export function shadedLine(g, [p, q], width, color) {
  const along = Math.hypot(q[0] - p[0], q[1] - p[1]);
  stroke(g, [p, q], lit(color, 0.62), Math.max(1, width));
  if (width < 2.5) return;
  // Across the bar, on the side of the light.
  const [nx, ny] = along > 0 ? [-(q[1] - p[1]) / along, (q[0] - p[0]) / along] : [0, -1];
  const side = nx * LIGHT[0] + ny * LIGHT[1] > 0 ? 1 : -1;
  const moved = (share) => [p, q].map((e) => [e[0] + side * share * width * nx, e[1] + side * share * width * ny]);
  stroke(g, moved(0.06), lit(color, 0.95), 0.66 * width);
  stroke(g, moved(0.16), lit(color, 1.3), 0.22 * width);
}

/** Colours of bodies, in the order in which they come. */
function bodyColors(film, look) {
  const names = [...new Set(film.shapes.filter((s) => s.kind === 'solid').map((s) => s.name))];
  return (name) => look.solids[names.indexOf(name) % look.solids.length];
}

/** Solids and joints in space, as pieces. */
export function putSolids(pieces, film, now, look) {
  const read = (at, count = 3) => between(film.tracks, film.width, at, count, now);
  const size = pieces.camera.size;
  const colorOf = bodyColors(film, look);
  for (const shape of film.shapes) {
    if (shape.kind === 'joint') putJoint(pieces, shape, read, size, look);
    if (shape.kind !== 'solid') continue;
    const color = colorOf(shape.name);
    const at = shape.at.map((place) => read(place));
    const axes = shape.axes.map((place) => read(place));
    const radius = shape.radius === null ? 0 : Math.abs(read(shape.radius, 1)[0]);
    if (![...at.flat(), ...axes.flat(), radius].every(Number.isFinite)) continue;
    const axis = axes[1] ?? [0, 0, 1];
    if (shape.form === 'rod') pieces.cylinder(at[0], at[1], ROD * size, color);
    if (shape.form === 'cylinder') pieces.cylinder(at[0], at[1], radius, color);
    if (shape.form === 'ball') pieces.ball(at[0], radius, color, axes.length === 3 ? axes : []);
    if (shape.form === 'point') pieces.ball(at[0], POINT * size, color);
    if (shape.form === 'disk') pieces.disk(at[0], radius, axis, axes[0], color);
    if (shape.form === 'hoop') pieces.hoop(at[0], radius, axis, axes[0], color);
    if (shape.form === 'box') pieces.box(at[0], axes.length === 3 ? axes : [...axes, [0, 0, 0.02 * size]], color);
  }
}

function putJoint(pieces, shape, read, size, look) {
  const at = read(shape.at[0]);
  const other = shape.at.length > 1 ? read(shape.at[1]) : at;
  const axes = shape.axes.map((place) => unit(read(place)));
  if (![...at, ...other, ...axes.flat()].every(Number.isFinite)) return;
  const r = JOINT * size;
  const bar = (axis, half, radius, color = look.joint) => pieces.cylinder(sum(other, axis, -half), sum(other, axis, half), radius, color);
  if (shape.form === 'pin') bar(axes[0] ?? [0, 0, 1], 2.2 * r, r);
  else if (shape.form === 'slider') {
    const axis = axes[0] ?? [1, 0, 0];
    const [u, v] = frameOf(axis);
    pieces.cylinder(sum(at, axis, -3 * r), sum(other, axis, 3 * r), 0.35 * r, look.joint);
    pieces.box(other, [axis.map((x) => 3.4 * r * x), u.map((x) => 2.2 * r * x), v.map((x) => 2.2 * r * x)], look.joint);
  } else if (shape.form === 'universal') axes.forEach((axis) => bar(axis, 2 * r, 0.7 * r));
  else if (shape.form === 'cylindrical' || shape.form === 'screw') bar(axes[0] ?? [0, 0, 1], 3.4 * r, r);
  else if (shape.form === 'ball') pieces.ball(at, 1.5 * r, look.joint);
  else if (shape.form === 'rod') pieces.cylinder(at, other, 0.4 * r, look.joint);
  else if (shape.form === 'weld') pieces.box(at, [[1.6 * r, 0, 0], [0, 1.6 * r, 0], [0, 0, 1.6 * r]], look.joint);
}

/** Solids in the plane, then the symbols of joints. */
export function drawFlatSolids(g, film, camera, now, look) {
  const read = (at, count = 2) => between(film.tracks, film.width, at, count, now);
  const colorOf = bodyColors(film, look);
  const thin = Math.max(7, 2 * ROD * camera.size * camera.scale);
  const solids = film.shapes.filter((shape) => shape.kind === 'solid');
  // Supports are behind what turns on them.
  for (const shape of film.shapes.filter((s) => s.kind === 'joint' && s.grounded && (s.form === 'pin' || s.form === 'weld'))) {
    const p = camera.project(read(shape.at[0]));
    if (p) ground(g, p, look);
  }
  // Small things in front of large ones: a wheel hides no rod.
  const order = { box: 0, disk: 1, ball: 1, hoop: 2, cylinder: 3, rod: 4, point: 5 };
  for (const shape of [...solids].sort((a, b) => order[a.form] - order[b.form])) {
    const at = shape.at.map((place) => camera.project(read(place)));
    const axes = shape.axes.map((place) => read(place));
    const radius = shape.radius === null ? 0 : Math.abs(read(shape.radius, 1)[0]) * camera.scale;
    if (at.some((p) => !p) || ![...axes.flat(), radius].every(Number.isFinite)) continue;
    const color = colorOf(shape.name);
    if (shape.form === 'rod') shadedLine(g, at, thin, color);
    if (shape.form === 'cylinder') bar(g, at, Math.max(radius, 1), color);
    if (shape.form === 'point') shadedDisc(g, at[0], Math.max(6, POINT * camera.size * camera.scale), color);
    if (shape.form === 'disk' || shape.form === 'ball') {
      shadedDisc(g, at[0], radius, color);
      spoke(g, at[0], radius, axes[0], lit(color, 0.5));
    }
    if (shape.form === 'hoop') {
      ring(g, at[0], radius, Math.max(4, 0.1 * radius), color);
      spoke(g, at[0], radius, axes[0], lit(color, 0.7));
    }
    if (shape.form === 'box') flatBox(g, at[0], axes, camera.scale, color);
  }
  for (const shape of film.shapes.filter((s) => s.kind === 'joint')) {
    const at = shape.at.map((place) => camera.project(read(place)));
    const axis = shape.axes.length ? read(shape.axes[0]) : [1, 0];
    if (at.every(Boolean) && axis.every(Number.isFinite)) flatJoint(g, shape, at, axis, look);
  }
}

function bar(g, [p, q], radius, color) {
  const along = Math.hypot(q[0] - p[0], q[1] - p[1]) || 1;
  const [nx, ny] = [-(q[1] - p[1]) / along * radius, (q[0] - p[0]) / along * radius];
  const glow = g.createLinearGradient(p[0] - nx, p[1] - ny, p[0] + nx, p[1] + ny);
  const above = nx * LIGHT[0] + ny * LIGHT[1] < 0;
  glow.addColorStop(above ? 0 : 1, lit(color, 0.8));
  glow.addColorStop(above ? 0.3 : 0.7, lit(color, 1.3));
  glow.addColorStop(above ? 1 : 0, lit(color, 0.55));
  polygon(g, [[p[0] - nx, p[1] - ny], [q[0] - nx, q[1] - ny], [q[0] + nx, q[1] + ny], [p[0] + nx, p[1] + ny]], glow, lit(color, 0.45), 1);
}

function ring(g, p, radius, width, color) {
  for (const [share, light, move] of [[1, 0.6, 0], [0.62, 1, -0.08], [0.2, 1.35, -0.18]]) {
    g.beginPath();
    g.arc(p[0] + move * width, p[1] + move * width, Math.max(0, radius - 0.5 * width), 0, 2 * Math.PI);
    g.strokeStyle = lit(color, light);
    g.lineWidth = share * width;
    g.stroke();
  }
}

function spoke(g, p, radius, mark, color) {
  if (!mark) return;
  const [dx, dy] = unit(mark);
  stroke(g, [p, [p[0] + 0.92 * radius * dx, p[1] - 0.92 * radius * dy]], color, Math.max(1.5, 0.06 * radius));
}

function flatBox(g, p, [a, b], scale, color) {
  const corner = (s, t) => [p[0] + scale * (s * a[0] + t * b[0]), p[1] - scale * (s * a[1] + t * b[1])];
  const corners = [corner(-0.5, -0.5), corner(0.5, -0.5), corner(0.5, 0.5), corner(-0.5, 0.5)];
  const [tops, lefts] = [corners.map((c) => c[1]), corners.map((c) => c[0])];
  const glow = g.createLinearGradient(Math.min(...lefts), Math.min(...tops), Math.max(...lefts), Math.max(...tops));
  glow.addColorStop(0, lit(color, 1.25));
  glow.addColorStop(1, lit(color, 0.75));
  polygon(g, corners, glow, lit(color, 0.45), 1.5);
}

/** Pin: a circle, slider: a box on its guide, weld: a square; what holds to the ground stands on hatching. */
function flatJoint(g, shape, at, axis, look) {
  const [p] = at;
  const q = at[at.length - 1];
  if (shape.form === 'rod') return stroke(g, at, look.ink, 2);
  const [dx, dy] = unit(axis);
  const square = (centre, long, wide, fill) => {
    const corner = (s, t) => [centre[0] + s * long * dx + t * wide * dy, centre[1] - s * long * dy + t * wide * dx];
    polygon(g, [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)], fill, look.ink, 1.5);
  };
  if (shape.form === 'slider') {
    stroke(g, [[p[0] - 2e3 * dx, p[1] + 2e3 * dy], [p[0] + 2e3 * dx, p[1] - 2e3 * dy]], look.axis, 1.2);
    square(q, 11, 7, look.paper);
    return;
  }
  if (shape.form === 'weld') return square(p, 5, 5, look.ink);
  if (shape.form === 'planar') return square(q, 5, 5, look.paper);
  g.beginPath();
  g.arc(p[0], p[1], 5, 0, 2 * Math.PI);
  g.fillStyle = look.paper;
  g.fill();
  g.strokeStyle = look.ink;
  g.lineWidth = 1.8;
  g.stroke();
}

function ground(g, [x, y], look) {
  polygon(g, [[x, y], [x - 11, y + 17], [x + 11, y + 17]], look.paper, look.ink, 1.5);
  stroke(g, [[x - 16, y + 17], [x + 16, y + 17]], look.ink, 1.5);
  for (let k = -14; k <= 14; k += 7) stroke(g, [[x + k, y + 17], [x + k - 5, y + 23]], look.ink, 1);
}
