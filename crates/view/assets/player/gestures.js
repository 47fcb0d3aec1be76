// Fingers, mouse and keys that move the view.

const STEP = 20; // pixels that an arrow key moves or turns the picture by
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

/** Lets a canvas move its camera: drag, pinch, wheel. `changed` is called after each move, `fit` on a double click. */
export function listenTo(canvas, camera, changed, fit) {
  const touches = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    canvas.setPointerCapture(event.pointerId);
    touches.set(event.pointerId, [event.clientX, event.clientY]);
  });
  const release = (event) => touches.delete(event.pointerId);
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointermove', (event) => {
    const before = touches.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    if (touches.size === 2) {
      const other = [...touches].find(([id]) => id !== event.pointerId)[1];
      const apart = (p) => Math.hypot(p[0] - other[0], p[1] - other[1]) || 1;
      camera.zoomBy(apart(now) / apart(before));
    } else {
      camera.drag(now[0] - before[0], now[1] - before[1], !event.shiftKey && event.buttons !== 4);
    }
    touches.set(event.pointerId, now);
    changed();
  });
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    const area = canvas.getBoundingClientRect();
    camera.zoomBy(Math.exp(-0.0015 * event.deltaY), event.clientX - area.left, event.clientY - area.top);
    changed();
  }, { passive: false });
  canvas.addEventListener('dblclick', fit);
}

/** Moves the camera by a key. Tells whether the key was one that does. */
export function moveByKey(camera, key) {
  if (ARROWS[key]) camera.drag(...ARROWS[key], true);
  else if (key === '+' || key === '=') camera.zoomBy(1.2);
  else if (key === '-') camera.zoomBy(1 / 1.2);
  else return false;
  return true;
}
