// The player: a picture of a film with controls, and plots beside it. No dependencies.
//
//   import { mount } from './player.js';
//   const player = mount(document.querySelector('#here'), film, { autoplay: true });
//
// `film` is the JSON that `Film::to_json` writes. Options: `autoplay` (false where the reader asks for less motion),
// `time` to start at, `plots` (true), `keys`: the element whose keys are heard (the player itself), `onTime`: called with the
// time that is shown. The style is in player.css.

import { element, readFilm, short } from './film.js';
import { Camera, drawView, middleAt } from './view.js';
import { chart } from './plots.js';
import { listenTo, moveByKey } from './gestures.js';

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10];
const KINDS = {
  impressed: 'Impressed forces: applied, of potentials and of dissipation',
  ideal: 'Ideal constraint forces',
  nonideal: 'Non-ideal constraint forces, friction among them',
  control: 'Control forces',
};

/** Shows a film in an element. Returns `{ replace(film, { refit }), play(), pause(), seek(t), destroy() }`. */
export function mount(host, json, options = {}) {
  const player = new Player(host, json, options);
  return {
    replace: (next, how) => player.replace(next, how),
    play: () => player.play(),
    pause: () => player.pause(),
    seek: (t) => player.seek(t),
    destroy: () => player.destroy(),
  };
}

class Player {
  constructor(host, json, options) {
    this.host = host;
    this.options = options;
    this.film = readFilm(json);
    this.camera = new Camera(this.film);
    this.state = { t: options.time ?? this.film.start, speed: 1, loop: true, traces: true, arrowScale: 1, playing: false };
    this.shown = new Set(Object.keys(KINDS));
    this.root = element('section', { class: 'dal-player', 'aria-label': this.title() });
    this.build();
    host.append(this.root);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.root);
    this.scheme = window.matchMedia('(prefers-color-scheme: dark)');
    this.onScheme = () => this.draw();
    this.scheme.addEventListener('change', this.onScheme);
    this.showPlaying();
    this.seek(this.state.t);
    const still = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (options.autoplay !== false && options.time === undefined && !still && this.film.frames > 1) this.play();
  }

  title() {
    return this.film.title || 'Motion';
  }

  /** Seconds of the motion in a second of the reader: real time, unless that is too long or too short to look at. */
  pace() {
    const length = this.film.end - this.film.start;
    return length >= 1 && length <= 60 ? 1 : length / 12 || 1;
  }

  build() {
    this.canvas = element('canvas', { tabindex: '0', role: 'img', 'aria-label': this.describe() });
    this.stage = element('div', { class: 'dal-stage' }, this.canvas);
    this.plots = element('div', { class: 'dal-plots' });
    this.remarks = element('ul', { class: 'dal-remarks' });
    this.controls = element('div', { class: 'dal-controls', role: 'group', 'aria-label': 'playback' });
    this.switches = element('div', { class: 'dal-switches', role: 'group', 'aria-label': 'what is shown' });
    const main = element('div', { class: 'dal-main' }, this.stage, this.controls, this.switches);
    this.root.append(main, this.plots, this.remarks);
    this.buildControls();
    this.rebuild();
    this.listen();
  }

  describe() {
    const names = this.film.shapes.filter((s) => s.kind !== 'trace').map((s) => `${s.kind} ${s.name}`);
    const some = names.slice(0, 8).join(', ') + (names.length > 8 ? ' and more' : '');
    return `Animation of ${this.title()}: ${some}`;
  }

  button(text, label, act) {
    const node = element('button', { type: 'button', 'aria-label': label, title: label }, text);
    node.addEventListener('click', act);
    return node;
  }

  buildControls() {
    this.toggle = this.button('▶', 'play (space)', () => (this.state.playing ? this.pause() : this.play()));
    this.toggle.classList.add('dal-play');
    this.scrub = element('input', { type: 'range', min: '0', max: '1', step: '0.0005', value: '0', 'aria-label': 'time', class: 'dal-scrub' });
    this.scrub.addEventListener('input', () => {
      this.pause();
      this.seek(this.film.start + Number(this.scrub.value) * (this.film.end - this.film.start));
    });
    this.clock = element('output', { class: 'dal-clock', 'aria-label': 'time shown', 'aria-live': 'off' });
    this.speed = element('select', { 'aria-label': 'speed' }, ...SPEEDS.map((s) => element('option', { value: s }, `${s}×`)));
    this.speed.value = '1';
    this.speed.addEventListener('change', () => (this.state.speed = Number(this.speed.value)));
    const loop = element('input', { type: 'checkbox' });
    loop.checked = this.state.loop;
    loop.addEventListener('change', () => (this.state.loop = loop.checked));
    const follow = element('input', { type: 'checkbox' });
    follow.addEventListener('change', () => this.follow(follow.checked));
    this.controls.append(
      this.toggle,
      this.button('‹', 'step back (,)', () => this.step(-1)),
      this.button('›', 'step forward (.)', () => this.step(1)),
      this.scrub,
      this.clock,
      this.speed,
      element('label', { class: 'dal-check' }, loop, 'loop'),
      element('label', { class: 'dal-check', title: 'the camera moves along with what is drawn' }, follow, 'follow'),
      this.button('⤢', 'show all (f)', () => this.fit()),
    );
  }

  /** What depends on the film: switches, plots, remarks. */
  rebuild() {
    this.root.setAttribute('data-frames', this.film.frames);
    this.root.setAttribute('data-dimension', this.film.dimension);
    this.canvas.setAttribute('aria-label', this.describe());
    this.speed.title = `speed; 1× shows ${short(this.pace())} of time each second`;
    this.buildSwitches();
    this.buildPlots();
    this.remarks.replaceChildren(...this.film.remarks.map((text) => element('li', {}, text)));
    const parameters = this.film.parameters;
    if (parameters.length) {
      const list = parameters.slice(0, 30).map((p) => `${p.name} = ${short(p.value)}${p.unit ? ` ${p.unit}` : ''}`);
      if (parameters.length > 30) list.push(`and ${parameters.length - 30} more`);
      this.remarks.append(element('li', { class: 'dal-parameters' }, list.join(', ')));
    }
  }

  buildSwitches() {
    const check = (text, checked, swatch, title, act) => {
      const box = element('input', { type: 'checkbox' });
      box.checked = checked;
      box.addEventListener('change', () => {
        act(box.checked);
        this.draw();
      });
      const label = element('label', { class: 'dal-check', title }, box);
      if (swatch) label.append(element('span', { class: `dal-swatch dal-${swatch}`, 'aria-hidden': 'true' }));
      label.append(text);
      return label;
    };
    this.switches.replaceChildren();
    if (this.film.shapes.some((s) => s.kind === 'trace')) {
      this.switches.append(check('traces', this.state.traces, 'trace', 'paths of points', (on) => (this.state.traces = on)));
    }
    const kinds = new Set([...this.film.arrows, ...this.film.couples].map((acting) => acting.kind));
    for (const kind of kinds) {
      const act = (on) => (on ? this.shown.add(kind) : this.shown.delete(kind));
      this.switches.append(check(`${kind} force`, this.shown.has(kind), kind, KINDS[kind], act));
    }
    if (this.film.arrows.length) {
      const size = element('input', { type: 'range', min: '-1', max: '1', step: '0.05', value: Math.log10(this.state.arrowScale), 'aria-label': 'length of arrows' });
      size.addEventListener('input', () => {
        this.state.arrowScale = 10 ** Number(size.value);
        this.draw();
      });
      this.switches.append(element('label', { class: 'dal-check', title: `a force of ${short(this.film.forceScale)} is a fifth of the picture long in the middle position; arrows of more than three times that are cut and dashed` }, 'arrows', size));
    }
  }

  buildPlots() {
    this.charts = [];
    this.plots.replaceChildren();
    this.root.classList.toggle('dal-plain', true);
    if (this.options.plots === false || this.film.frames < 2) return;
    const go = (t) => {
      this.pause();
      this.seek(t);
    };
    const { energies, energyUnit, residuals } = this.film;
    if (energies.length) this.charts.push(chart(energyUnit ? `Energy [${energyUnit}]` : 'Energy', energies, this.film, { go }));
    if (residuals.length) this.charts.push(chart('Scaled residual', residuals, this.film, { go, of: 'of ', logarithmic: true }));
    this.plots.append(...this.charts.map((c) => c.figure));
    this.root.classList.toggle('dal-plain', !this.charts.length);
  }

  listen() {
    listenTo(this.canvas, this.camera, () => this.draw(), () => this.fit());
    this.keys = this.options.keys ?? this.root;
    this.onKey = (event) => this.key(event);
    this.keys.addEventListener('keydown', this.onKey);
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || /BUTTON|INPUT|SELECT|TEXTAREA/.test(event.target.tagName)) return;
    if (event.key === ' ') this.toggle.click();
    else if (event.target !== this.canvas) return;
    else if (event.key === 'f') this.fit();
    else if (event.key === ',') this.step(-1);
    else if (event.key === '.') this.step(1);
    else if (!moveByKey(this.camera, event.key)) return;
    event.preventDefault();
    this.draw();
  }

  /** Whether the camera moves along with what is drawn. */
  follow(on) {
    this.state.follow = on;
    if (!on) this.camera.moveWith(this.film.box.low.map((l, k) => 0.5 * (l + this.film.box.high[k])));
    this.draw();
  }

  fit() {
    this.camera.reset(this.film);
    this.draw();
  }

  play() {
    if (this.state.playing || this.film.frames < 2) return;
    if (this.state.t >= this.film.end) this.state.t = this.film.start;
    this.state.playing = true;
    this.showPlaying();
    let before = null;
    const tick = (now) => {
      if (!this.state.playing) return;
      if (before !== null) this.advance((now - before) / 1000);
      before = now;
      this.request = requestAnimationFrame(tick);
    };
    this.request = requestAnimationFrame(tick);
  }

  /** Moves on by some seconds of the reader. */
  advance(seconds) {
    const { film, state } = this;
    let t = state.t + Math.min(seconds, 0.25) * state.speed * this.pace();
    if (t > film.end) {
      if (state.loop) t = film.start + ((t - film.start) % (film.end - film.start));
      else this.pause();
    }
    this.seek(t);
  }

  pause() {
    this.state.playing = false;
    cancelAnimationFrame(this.request);
    this.showPlaying();
  }

  showPlaying() {
    const playing = this.state.playing;
    this.toggle.textContent = playing ? '❚❚' : '▶';
    const label = playing ? 'pause (space)' : 'play (space)';
    this.toggle.setAttribute('aria-label', label);
    this.toggle.title = label;
    this.root.setAttribute('data-playing', playing);
  }

  step(frames) {
    this.pause();
    const times = this.film.times;
    const width = 1e-9 * (this.film.end - this.film.start);
    const next = frames > 0 ? times.findIndex((t) => t > this.state.t + width) : times.findLastIndex((t) => t < this.state.t - width);
    if (next >= 0) this.seek(times[next]);
  }

  seek(t) {
    const { film, state } = this;
    state.t = Math.min(film.end, Math.max(film.start, Number.isFinite(t) ? t : film.start));
    this.draw();
  }

  /** Another film; the view stays unless the film would not fit, or `refit` asks for all of it. */
  replace(json, { refit = false } = {}) {
    this.film = readFilm(json);
    if (refit) this.camera.reset(this.film);
    else this.camera.follow(this.film);
    this.rebuild();
    this.seek(this.state.t);
    if (this.film.frames < 2) this.pause();
  }

  destroy() {
    this.pause();
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.onScheme);
    this.keys.removeEventListener('keydown', this.onKey);
    this.root.remove();
  }

  /** Colours of the style sheet, and what is switched on. */
  look() {
    const style = getComputedStyle(this.root);
    const color = (name) => style.getPropertyValue(`--dal-${name}`).trim();
    return {
      ink: color('ink'), faint: color('faint'), grid: color('grid'), axis: color('axis'), dot: color('dot'),
      paper: color('paper'), bar: color('bar'), joint: color('joint'), solids: [0, 1, 2, 3, 4, 5].map((k) => color(`solid${k}`)),
      kinds: Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, color(kind)])),
      trace: [color('trace'), color('trace2'), color('trace3')],
      series: [color('series0'), color('series1'), color('series2')],
      traces: this.state.traces, arrows: this.shown, arrowScale: this.state.arrowScale, unit: this.film.unit,
    };
  }

  /** The time with the digits that a motion of this length needs. */
  clockTime(length) {
    const t = this.state.t;
    return length >= 0.1 && Math.abs(t) < 1e9 ? t.toFixed(length < 100 ? 2 : 0) : short(t);
  }

  draw() {
    const look = this.look();
    const paint = (canvas, act) => {
      const [width, height] = [canvas.clientWidth, canvas.clientHeight];
      if (!width || !height) return;
      const ratio = window.devicePixelRatio || 1;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const g = canvas.getContext('2d');
      g.setTransform(ratio, 0, 0, ratio, 0, 0);
      act(g, width, height);
    };
    const { film, state } = this;
    paint(this.canvas, (g, width, height) => {
      this.camera.fit(width, height);
      if (state.follow && film.frames) this.camera.moveWith(middleAt(film, state.t));
      drawView(g, film, this.camera, state.t, look);
    });
    for (const { plot, canvas, values } of this.charts) {
      paint(canvas, (g, width, height) => plot.draw(g, width, height, state.t, look));
      plot.valuesAt(film, state.t).forEach((text, k) => (values[k].textContent = text));
    }
    const length = film.end - film.start;
    this.scrub.value = length > 0 ? (state.t - film.start) / length : 0;
    this.scrub.setAttribute('aria-valuetext', `t = ${short(state.t)} s`);
    this.clock.textContent = `t = ${this.clockTime(length)} / ${short(film.end)} s`;
    this.root.setAttribute('data-t', state.t);
    this.root.setAttribute('data-size', this.camera.size);
    this.options.onTime?.(state.t);
  }
}
