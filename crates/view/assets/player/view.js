// The picture of one instant on a canvas: two dimensions with pan and zoom, three with an orbiting eye.

import { between, instant, marks, roundStep, short, tick } from './film.js';
import { Pieces, drawFlatSolids, frameOf, lit, putSolids, shadedDisc, shadedLine } from './solids.js';

const MARGIN = 36; // pixels around the fitted box
const ARROW_SHARE = 0.22; // length of a large force, as a share of the size of the box
const LONGEST = 3; // arrows are no longer than so many large forces; longer ones are dashed
const EYE = 3.2; // distance of the eye, in sizes of the box
const CIRCLE_CORNERS = 64;
const [YAW, PITCH] = [-0.6, 0.38]; // where the eye is at first

/** Right, down and away from the eye. */
function axesOf(yaw, pitch) {
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return [[cy, sy, 0], [sy * sp, -cy * sp, -cp], [-sy * cp, cy * cp, -sp]];
}

/** A camera on a box: turns positions into pixels. */
export class Camera {
  constructor(film) {
    this.reset(film);
  }

  /** Looks at the whole box from the front. */
  reset(film) {
    this.dimension = film.dimension;
    this.low = film.box.low.slice();
    this.high = film.box.high.slice();
    const sides = this.low.map((l, k) => this.high[k] - l);
    this.size = Math.max(1e-300, Math.hypot(...sides)) || 1;
    if (this.size < 1e-290 || !Number.isFinite(this.size)) this.size = 1;
    // A box smaller than the rounding of its place has no inside.
    this.size = Math.max(this.size, 1e-12 * Math.max(...[...this.low, ...this.high].map(Math.abs)));
    this.centre = this.low.map((l, k) => 0.5 * l + 0.5 * this.high[k]);
    this.zoom = 1;
    this.pan = [0, 0];
    this.yaw = YAW;
    this.pitch = PITCH;
  }

  /** Keeps the view for another film unless that would not fit, or be lost in it. */
  follow(film) {
    const outside = film.box.low.some((l, k) => l < this.low[k] - 0.5 * this.size)
      || film.box.high.some((h, k) => h > this.high[k] + 0.5 * this.size);
    const size = Math.hypot(...film.box.low.map((l, k) => film.box.high[k] - l));
    if (film.dimension !== this.dimension || outside || size < 0.2 * this.size) {
      const { zoom, pan, yaw, pitch } = this;
      this.reset(film);
      if (film.dimension === this.dimension) Object.assign(this, { zoom, pan, yaw, pitch });
    }
  }

  /** Sets the size of the canvas in pixels. */
  fit(width, height) {
    this.width = width;
    this.height = height;
    const room = [Math.max(40, width - 2 * MARGIN), Math.max(40, height - 2 * MARGIN)];
    if (this.dimension === 2) {
      const least = 0.3 * this.size;
      const sides = this.low.map((l, k) => Math.max(this.high[k] - l, least));
      this.scale = this.zoom * Math.min(room[0] / sides[0], room[1] / sides[1]);
    } else {
      const [across, down] = this.reach(axesOf(YAW, PITCH));
      this.scale = this.zoom * Math.min(room[0] / across, room[1] / down);
      this.axes = axesOf(this.yaw, this.pitch);
    }
  }

  /** How wide and high the box is seen from the front, in its units: twice as far as its farthest corner is off the middle. */
  reach(axes) {
    const seen = [0, 0];
    for (let corner = 0; corner < 8; corner++) {
      const d = this.low.map((l, k) => 0.5 * (this.high[k] - l) * (corner & (1 << k) ? 1 : -1));
      const along = axes.map((a) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2]);
      const near = EYE / Math.max(0.5, along[2] / this.size + EYE);
      for (const k of [0, 1]) seen[k] = Math.max(seen[k], 2 * near * Math.abs(along[k]));
    }
    return seen.map((v) => Math.max(v, 0.3 * this.size));
  }

  /** Pixels of a position, and how far it is away (0 at the centre); null where it cannot be seen. */
  project(p) {
    const d = p.map((v, k) => v - this.centre[k]);
    if (this.dimension === 2) {
      const x = 0.5 * this.width + this.pan[0] + this.scale * d[0];
      const y = 0.5 * this.height + this.pan[1] - this.scale * d[1];
      return Number.isFinite(x + y) ? [x, y, 0] : null;
    }
    const [right, down, away] = this.axes.map((a) => a[0] * d[0] + a[1] * d[1] + a[2] * d[2]);
    const depth = away / this.size + EYE;
    if (!(depth > 0.05)) return null;
    const scale = this.scale * EYE / depth;
    return [0.5 * this.width + this.pan[0] + scale * right, 0.5 * this.height + this.pan[1] + scale * down, away];
  }

  /** Pixels of a unit of length at a depth. */
  scaleAt(away) {
    return this.dimension === 2 ? this.scale : this.scale * EYE / Math.max(0.05, away / this.size + EYE);
  }

  /** Moves along with a place: it stays in the middle. */
  moveWith(place) {
    if (place.every(Number.isFinite)) this.centre = place;
  }

  /** Zooms about a place of the screen. */
  zoomBy(factor, x = 0.5 * this.width, y = 0.5 * this.height) {
    const before = this.zoom;
    this.zoom = Math.min(1e4, Math.max(1e-2, this.zoom * factor));
    const real = this.zoom / before;
    this.pan[0] = (x - 0.5 * this.width) * (1 - real) + this.pan[0] * real;
    this.pan[1] = (y - 0.5 * this.height) * (1 - real) + this.pan[1] * real;
  }

  /** Moves the picture, or turns it in space. */
  drag(dx, dy, turn) {
    if (this.dimension === 2 || !turn) {
      this.pan[0] += dx;
      this.pan[1] += dy;
    } else {
      this.yaw -= 0.008 * dx;
      this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + 0.008 * dy));
    }
  }
}

/** Draws the film at a time. `look` has colours and what is switched on. */
export function drawView(g, film, camera, t, look) {
  const { width, height } = camera;
  g.clearRect(0, 0, width, height);
  if (!film.frames) return;
  const now = instant(film, t);
  if (film.shapes.every((shape) => shape.kind === 'gauge')) {
    drawGauges(g, film, now, look, width, height);
    return;
  }
  if (film.dimension === 2) drawGrid(g, camera, look, film.unit);
  else drawGround(g, camera, look);
  const position = (at) => between(film.tracks, film.width, at, film.dimension, now);
  if (look.traces) {
    film.shapes.filter((s) => s.kind === 'trace')
      .forEach((shape, k) => drawTrace(g, film, camera, shape, now, look.trace[k % look.trace.length]));
  }
  if (film.dimension === 2) drawFlat(g, film, camera, now, look, position);
  else drawSpace(g, film, camera, now, look, position);
  drawArrows(g, film, camera, now, look, position);
  drawCouples(g, film, camera, now, look, position);
}

/** Where the middle of what is drawn is at a time. */
export function middleAt(film, t) {
  const now = instant(film, t);
  const places = film.shapes.filter((s) => s.kind !== 'gauge' && s.kind !== 'joint').flatMap((s) => s.at);
  const unique = [...new Set(places)].map((at) => between(film.tracks, film.width, at, film.dimension, now));
  return Array.from({ length: film.dimension }, (_, c) => unique.reduce((sum, p) => sum + p[c], 0) / unique.length);
}

/** Solids, bars, circles and balls in the plane. */
function drawFlat(g, film, camera, now, look, position) {
  for (const shape of film.shapes.filter((s) => s.kind === 'circle')) drawCircle(g, film, camera, shape, now, look);
  // Where bodies are drawn, lines are thin and behind them.
  const bodies = film.shapes.some((s) => s.kind === 'solid');
  for (const shape of film.shapes.filter((s) => s.kind === 'line')) {
    const points = shape.at.map((at) => camera.project(position(at)));
    if (bodies) drawPath(g, points, look.bar, 3);
    else drawBars(g, points, look);
  }
  if (bodies) drawFlatSolids(g, film, camera, now, look);
  for (const shape of film.shapes.filter((s) => s.kind === 'point')) drawDot(g, camera.project(position(shape.at[0])), look, bodies ? 4 : 7);
}

/** The same in space, where what is nearer hides what is farther. */
function drawSpace(g, film, camera, now, look, position) {
  const pieces = new Pieces(g, camera);
  putSolids(pieces, film, now, look);
  const bodies = film.shapes.some((s) => s.kind === 'solid');
  for (const shape of film.shapes) {
    if (shape.kind === 'line') {
      const points = shape.at.map((at) => camera.project(position(at)));
      for (let k = 1; k < points.length; k++) {
        const [p, q] = [points[k - 1], points[k]];
        if (p && q) pieces.put(0.5 * (p[2] + q[2]), () => shadedLine(g, [p, q], bodies ? 2 : 5, look.bar));
      }
    }
    if (shape.kind === 'circle') putCircle(pieces, film, camera, shape, now, look);
    if (shape.kind === 'point') {
      const p = camera.project(position(shape.at[0]));
      if (p) pieces.put(p[2] - 0.01 * camera.size, () => drawDot(g, p, look, bodies ? 4 : 7));
    }
  }
  pieces.draw();
}

function drawBars(g, points, look) {
  for (let k = 1; k < points.length; k++) {
    if (points[k - 1] && points[k]) shadedLine(g, [points[k - 1], points[k]], 5, look.bar);
  }
  points.filter(Boolean).forEach((p) => shadedDisc(g, p, 3.5, look.bar, null));
}

function drawPath(g, points, color, width) {
  g.strokeStyle = color;
  g.lineWidth = width;
  g.lineJoin = 'round';
  g.lineCap = 'round';
  g.beginPath();
  let down = false;
  for (const p of points) {
    if (p && down) g.lineTo(p[0], p[1]);
    else if (p) g.moveTo(p[0], p[1]);
    down = Boolean(p);
  }
  g.stroke();
}

function drawDot(g, p, look, radius) {
  if (p) shadedDisc(g, p, radius, look.dot, look.ink);
}

function drawTrace(g, film, camera, shape, now, color) {
  const at = shape.at[0];
  const points = [];
  for (let k = 0; k <= now.low; k++) {
    points.push(camera.project(between(film.tracks, film.width, at, film.dimension, { low: k, high: k, part: 0 })));
  }
  points.push(camera.project(between(film.tracks, film.width, at, film.dimension, now)));
  drawPath(g, points, color, 1.6);
}

/** The corners of a circle, and the normal of its plane. */
function circleAt(film, shape, now) {
  const centre = between(film.tracks, film.width, shape.at[0], film.dimension, now);
  const [radius] = between(film.tracks, film.width, shape.radius, 1, now);
  const normal = shape.normal === null ? [0, 0, 1] : between(film.tracks, film.width, shape.normal, 3, now);
  const [u, v] = shape.normal === null ? [[1, 0, 0], [0, 1, 0]] : frameOf(normal);
  const corners = Array.from({ length: CIRCLE_CORNERS + 1 }, (_, k) => {
    const [c, s] = [radius * Math.cos(2 * Math.PI * k / CIRCLE_CORNERS), radius * Math.sin(2 * Math.PI * k / CIRCLE_CORNERS)];
    return centre.map((x, i) => x + c * u[i] + s * v[i]);
  });
  return { corners, normal };
}

function fillFace(g, points, color, opacity) {
  g.globalAlpha = opacity;
  g.fillStyle = color;
  g.beginPath();
  points.forEach((p, k) => (k ? g.lineTo(p[0], p[1]) : g.moveTo(p[0], p[1])));
  g.fill();
  g.globalAlpha = 1;
}

function drawCircle(g, film, camera, shape, now, look) {
  const points = circleAt(film, shape, now).corners.map((p) => camera.project(p));
  if (points.every(Boolean)) fillFace(g, points, look.solids[0], 0.18);
  drawPath(g, points, look.ink, 2);
}

/** A circle in space: a thin disk in the light, through which one can see. */
function putCircle(pieces, film, camera, shape, now, look) {
  const { corners, normal } = circleAt(film, shape, now);
  const points = corners.map((p) => camera.project(p));
  if (!points.every(Boolean)) return;
  const away = camera.axes[2].reduce((sum, a, k) => sum + a * normal[k], 0);
  const light = pieces.light(away > 0 ? normal.map((x) => -x) : normal);
  const depth = points.reduce((sum, p) => sum + p[2], 0) / points.length;
  pieces.put(depth, (g) => {
    fillFace(g, points, lit(look.solids[0], light), 0.72);
    drawPath(g, points, lit(look.solids[0], 0.5), 2.5);
  });
}

function drawArrows(g, film, camera, now, look, position) {
  if (!(film.forceScale > 0)) return;
  const perForce = (ARROW_SHARE * camera.size * look.arrowScale) / film.forceScale;
  const width = film.points.length * film.dimension;
  for (const arrows of film.arrows.filter((a) => look.arrows.has(a.kind))) {
    film.points.forEach((point, k) => {
      const force = between(arrows.forces, width, k * film.dimension, film.dimension, now);
      const foot = position(point.at);
      const share = Math.min(1, (LONGEST * film.forceScale) / Math.hypot(...force));
      const head = foot.map((x, i) => x + share * perForce * force[i]);
      g.setLineDash(share < 1 ? [6, 5] : []);
      drawArrow(g, camera.project(foot), camera.project(head), look.kinds[arrows.kind]);
      g.setLineDash([]);
    });
  }
}

/** Couples as arcs with a head; a large one goes nearly round. */
function drawCouples(g, film, camera, now, look, position) {
  const shown = film.couples.filter((c) => look.arrows.has(c.kind));
  const largest = Math.max(0, ...shown.map((c) => c.values.reduce((m, v) => Math.max(m, Math.abs(v) || 0), 0)));
  shown.forEach((couple, k) => {
    const [value] = between(couple.values, 1, 0, 1, now);
    const centre = camera.project(position(couple.at));
    const sweep = 5 * value / largest;
    if (!centre || !(Math.abs(sweep) > 0.05)) return;
    const radius = 20 + 6 * (k % 4);
    const at = (angle) => [centre[0] + radius * Math.cos(angle), centre[1] - radius * Math.sin(angle)];
    const steps = Math.max(3, Math.ceil(12 * Math.abs(sweep)));
    const points = [];
    for (let i = 0; i <= steps; i++) points.push(at(-0.5 * Math.PI + sweep * i / steps));
    const color = look.kinds[couple.kind];
    drawPath(g, points, color, 2.2);
    const end = -0.5 * Math.PI + sweep;
    const [ux, uy] = [-Math.sign(sweep) * Math.sin(end), -Math.sign(sweep) * Math.cos(end)];
    const [x, y] = at(end);
    drawArrow(g, [x - 10 * ux, y - 10 * uy], [x + 10 * ux, y + 10 * uy], color);
  });
}

function drawArrow(g, from, to, color) {
  if (!from || !to) return;
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  if (!(length > 1.5)) return;
  const [ux, uy] = [(to[0] - from[0]) / length, (to[1] - from[1]) / length];
  const tip = Math.min(10, 0.5 * length);
  const [bx, by] = [to[0] - tip * ux, to[1] - tip * uy];
  drawPath(g, [from, [bx, by]], color, 2.2);
  g.fillStyle = color;
  g.beginPath();
  g.moveTo(to[0], to[1]);
  g.lineTo(bx - 0.45 * tip * uy, by + 0.45 * tip * ux);
  g.lineTo(bx + 0.45 * tip * uy, by - 0.45 * tip * ux);
  g.fill();
}

/** Lines at round numbers, with the numbers at the edges; the same scale both ways. */
function drawGrid(g, camera, look, unit) {
  const step = roundStep(70 / camera.scale);
  g.font = '11px system-ui, sans-serif';
  g.lineWidth = 1;
  const { width, height } = camera;
  const left = camera.centre[0] - (0.5 * width + camera.pan[0]) / camera.scale;
  const bottom = camera.centre[1] - (0.5 * height - camera.pan[1]) / camera.scale;
  const label = (k) => tick(k * step, step) + (unit && k === 0 ? ` ${unit}` : '');
  for (const k of marks(left, left + width / camera.scale, step)) {
    const x = Math.round((k * step - left) * camera.scale) + 0.5;
    g.strokeStyle = k === 0 ? look.axis : look.grid;
    g.beginPath();
    g.moveTo(x, 0);
    g.lineTo(x, height);
    g.stroke();
    g.fillStyle = look.faint;
    g.textAlign = 'left';
    if (x > 34) g.fillText(label(k), x + 3, height - 5);
  }
  for (const k of marks(bottom, bottom + height / camera.scale, step)) {
    const y = height - Math.round((k * step - bottom) * camera.scale) - 0.5;
    g.strokeStyle = k === 0 ? look.axis : look.grid;
    g.beginPath();
    g.moveTo(0, y);
    g.lineTo(width, y);
    g.stroke();
    if (y < height - 18 && y > 12) g.fillText(label(k), 4, y - 3);
  }
}

/** The directions of the axes, in a corner of the screen. */
function drawAxes(g, camera, look) {
  const foot = [46, camera.height - 58];
  g.font = '12px system-ui, sans-serif';
  g.textAlign = 'center';
  ['x', 'y', 'z'].forEach((name, k) => {
    const [dx, dy] = [camera.axes[0][k], camera.axes[1][k]];
    drawPath(g, [foot, [foot[0] + 28 * dx, foot[1] + 28 * dy]], look.axis, 2);
    g.fillStyle = look.faint;
    g.fillText(name, foot[0] + 38 * dx, foot[1] + 38 * dy + 4);
  });
}

/** A level grid below the motion. */
function drawGround(g, camera, look) {
  const reach = 0.6 * camera.size;
  const step = roundStep(reach / 5);
  const level = camera.low[2] >= -1e-6 * camera.size ? Math.min(0, camera.low[2]) : camera.low[2];
  const snap = (v) => Math.round(v / step) * step;
  const [cx, cy] = [snap(camera.centre[0]), snap(camera.centre[1])];
  const count = Math.ceil(reach / step);
  for (let k = -count; k <= count; k++) {
    const [x, y, r] = [cx + k * step, cy + k * step, count * step];
    drawPath(g, [[x, cy - r, level], [x, cy + r, level]].map((p) => camera.project(p)), look.grid, 1);
    drawPath(g, [[cx - r, y, level], [cx + r, y, level]].map((p) => camera.project(p)), look.grid, 1);
  }
  drawAxes(g, camera, look);
  g.fillStyle = look.faint;
  g.textAlign = 'left';
  g.fillText(`grid ${short(step)}${look.unit ? ` ${look.unit}` : ''}`, 8, camera.height - 8);
}

/** Coordinates on scales of their own. */
function drawGauges(g, film, now, look, width, height) {
  const gap = height / (film.shapes.length + 1);
  const [left, right] = [70, width - 70];
  g.font = '13px system-ui, sans-serif';
  film.shapes.forEach((shape, k) => {
    const y = gap * (k + 1);
    const [value] = between(film.tracks, film.width, shape.value, 1, now);
    const [low, high] = shape.range;
    drawPath(g, [[left, y], [right, y]], look.axis, 2);
    const x = left + (right - left) * (value - low) / (high - low);
    if (Number.isFinite(x)) drawDot(g, [x, y], look, 7);
    g.fillStyle = look.ink;
    g.textAlign = 'left';
    g.fillText(`${shape.name} = ${short(value)}`, left, y - 12);
    g.fillStyle = look.faint;
    g.textAlign = 'right';
    g.fillText(short(low), left - 8, y + 4);
    g.textAlign = 'left';
    g.fillText(short(high), right + 8, y + 4);
  });
}
