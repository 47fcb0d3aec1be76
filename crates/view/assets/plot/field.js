// A picture of values over two coordinates that tells the value under the pointer. No dependencies.

import { element } from '../player/film.js';
import { decoded, named } from './plot.js';

/** Shows values of a drawing; `field` is the document that `plot/field.rs` describes. */
export function readField(host, svg, field) {
  const [xs, ys] = field.axes.map((axis) => decoded(axis));
  const values = decoded(field.values);
  const words = [0, 1, 2].map((k) => named(field.names[k], field.units[k]));
  const [left, top, right, bottom] = field.frame;
  const shown = element('p', { class: 'dal-now', 'aria-live': 'polite' }, '\u00a0');
  host.append(element('section', { class: 'dal-plot', 'aria-label': 'value at a point' }, shown));
  const cross = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  for (const [name, value] of [['fill', 'none'], ['stroke', '#ffffff'], ['stroke-width', '1.5']]) cross.setAttribute(name, value);
  svg.append(cross);
  svg.setAttribute('tabindex', '0');
  let [i, j] = [xs.length >> 1, ys.length >> 1];
  const place = (axis, k) => (axis[k] - axis[0]) / (axis[axis.length - 1] - axis[0]);
  const draw = () => {
    const x = left + (right - left) * place(xs, i);
    const y = bottom - (bottom - top) * place(ys, j);
    cross.setAttribute('d', `M${left} ${y}H${right}M${x} ${top}V${bottom}`);
    shown.textContent = [words[0](xs[i]), words[1](ys[j]), words[2](values[i * ys.length + j])].join(', ');
  };
  const bounded = (k, axis) => Math.min(Math.max(k, 0), axis.length - 1);
  const point = (event) => {
    const area = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / area.width;
    const [x, y] = [(event.clientX - area.left) * scale, (event.clientY - area.top) * scale];
    if (x < left || x > right || y < top || y > bottom) return;
    i = bounded(Math.round(((x - left) / (right - left)) * (xs.length - 1)), xs);
    j = bounded(Math.round(((bottom - y) / (bottom - top)) * (ys.length - 1)), ys);
    draw();
  };
  svg.addEventListener('pointermove', point);
  svg.addEventListener('pointerdown', point);
  svg.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!step) return;
    event.preventDefault();
    [i, j] = [bounded(i + step[0], xs), bounded(j + step[1], ys)];
    draw();
  });
}
