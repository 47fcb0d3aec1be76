// Running: progress, cancel, the animation, the plots, and one line about how it went.

import "../../../view/assets/player/player.css";
import { mount } from "../../../view/assets/player/player.js";
import { run, stop, type Checked, type Result, type RunQuestion } from "./api";
import { byId, quiet, short } from "./dom";
import { failureBox } from "./messages";
import { makePlots } from "./plots";

export interface Runner {
  /** Runs; a newer run takes the place of an older one. */
  run(): Promise<void>;
  /** Runs once the run on its way has answered, with what is set then: the motion follows a hand. */
  follow(): void;
  /** The text is wrong, or right again: what is shown belongs to an older one while it is wrong. */
  outdated(on: boolean): void;
  /** Another model: what is shown of the last one goes. */
  clear(): void;
}

export function makeRunner(question: () => RunQuestion, checked: () => Checked | undefined): Runner {
  const bar = byId<HTMLProgressElement>("progress");
  const cancel = byId<HTMLButtonElement>("cancel");
  const summary = byId("summary");
  const stage = byId("player");
  const views = byId("motion");
  let player: ReturnType<typeof mount> | undefined;
  const plots = makePlots(byId("plots"), (t) => {
    player?.pause();
    player?.seek(t);
  });
  let newest = 0;
  let answered = 0;
  let again = false;
  /** The text of the film that is shown. */
  let shown: string | null = null;

  async function go(): Promise<void> {
    const own = ++newest;
    again = false;
    // Short runs are over before a bar could be seen.
    const begun = setTimeout(() => running(true), 120);
    const asked = question();
    const result = await run(asked, (part) => {
      if (own === newest) bar.value = part;
    });
    clearTimeout(begun);
    if (own !== newest) return;
    answered = own;
    running(false);
    show(result, asked.text);
    // So that what waits for a run, a test for example, can tell.
    stage.dataset.runs = String(Number(stage.dataset.runs ?? 0) + 1);
    if (again) void go();
  }

  // A hand that rests does not wait for what it wanted before.
  const rests = quiet(300, () => again && void go());

  function follow(): void {
    if (answered === newest) return void go();
    again = true;
    rests();
  }

  function running(on: boolean): void {
    document.body.classList.toggle("running", on);
    cancel.disabled = !on;
    bar.value = 0;
    if (!on) return;
    summary.classList.remove("bad");
    summary.replaceChildren("Running …");
  }

  function show(result: Result, text: string): void {
    if (result.ended === "superseded") return;
    summary.classList.toggle("bad", Boolean(result.failed || result.failure));
    // What is left of an earlier run is not the answer to this one.
    views.classList.toggle("stale", Boolean(result.ended || result.failed));
    if (result.ended) return summary.replaceChildren("Cancelled before anything was computed.");
    if (result.failed) return summary.replaceChildren(failureBox(result.failed));
    if (!result.film) forget();
    else if (player) player.replace(result.film, { refit: text !== shown });
    else player = mount(stage, result.film, { plots: false, onTime: (t: number) => plots.mark(t) });
    shown = text;
    plots.show(result.table, checked());
    summary.replaceChildren(inWords(result));
    if (result.failure) summary.append(failureBox(result.failure));
  }

  function forget(): void {
    player?.destroy();
    player = undefined;
  }

  function clear(): void {
    shown = null;
    forget();
    plots.clear();
    views.classList.remove("stale");
    summary.classList.remove("bad");
    summary.replaceChildren("Not run yet.");
  }

  cancel.onclick = () => void stop("run");
  const outdated = (on: boolean): void => void views.classList.toggle("outdated", on);
  return { run: go, follow, outdated, clear };
}

function inWords(result: Result): string {
  const s = result.summary;
  const until = `t = ${short(s.t)} s`;
  const energy = (value: number | null, digits: number) => [short(value, digits), s.energy_unit].filter(Boolean).join(" ");
  const event = result.events.at(-1)?.name;
  const ending: Record<string, string> = {
    end_time: `Reached ${until}`,
    event: `Stopped by event ${event ?? ""} at ${until}`,
    cancelled: result.stopped === "time" ? `The time limit ended it at ${until}; this is what was computed` : `Cancelled at ${until}; this is what was computed`,
    failed: `Failed after ${until}; this is what was computed`,
  };
  const residual = Math.max(s.largest_position_residual ?? 0, s.largest_velocity_residual ?? 0);
  return [
    ending[result.stop] ?? until,
    `${s.method}, ${s.steps} steps, ${short(s.wall_time * 1000, 3)} ms`,
    s.rank > 0 ? `residual ${short(residual, 2)}` : "",
    s.energy_change == null ? "" : `energy ${energy(s.energy, 4)}, change ${energy(s.energy_change, 2)}`,
    result.thinned > 1 ? `plots show one row of ${result.thinned}` : "",
  ].filter(Boolean).join(" · ");
}
