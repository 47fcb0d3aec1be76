// Tabs: the views beside the model on a wide page; the model is one more of them on a narrow one.

import { byId, element } from "./dom";

const VIEWS: [string, string][] = [
  ["model", "Model"],
  ["motion", "Motion"],
  ["equations", "Equations"],
  ["study", "Study"],
  ["report", "Report"],
  ["facts", "Facts"],
  ["export", "Export"],
];

export interface Tabs {
  shown(view: string): boolean;
  show(view: string): void;
}

export function makeTabs(changed: () => void): Tabs {
  const narrow = matchMedia("(max-width: 859px)");
  let chosen = "motion";
  const buttons = ["narrow-tabs", "wide-tabs"].flatMap((bar) => {
    const host = document.querySelector(`.${bar}`)!;
    const made = VIEWS.filter(([id]) => bar === "narrow-tabs" || id !== "model").map(([id, label]) =>
      element("button", { type: "button", role: "tab", id: `${bar}-${id}`, "data-view": id, "aria-controls": id, onclick: () => show(id) }, label),
    );
    host.append(...made);
    host.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[(event as KeyboardEvent).key];
      const at = made.indexOf(document.activeElement as HTMLButtonElement);
      if (step && at >= 0) made[(at + step + made.length) % made.length].focus();
    });
    return made;
  });

  function apply(): void {
    const here = !narrow.matches && chosen === "model" ? "motion" : chosen;
    for (const button of buttons) button.setAttribute("aria-selected", String(button.dataset.view === here));
    for (const [id] of VIEWS.slice(1)) byId(id).setAttribute("aria-labelledby", `${narrow.matches ? "narrow" : "wide"}-tabs-${id}`);
    for (const [id] of VIEWS) byId(id).classList.toggle("chosen", id === here);
    // Sliders stand under the text on a wide page, with the motion on a narrow one.
    byId(narrow.matches ? "beside-motion" : "under-editor").append(byId("sliders"));
    changed();
  }

  function show(view: string): void {
    chosen = view;
    apply();
  }

  narrow.addEventListener("change", apply);
  queueMicrotask(apply);
  return { shown: (view) => byId(view).classList.contains("chosen"), show };
}
