// What went wrong, in words.

import type { Failure } from "./api";
import { byId, element } from "./dom";

export function failureBox(failure: Failure): HTMLElement {
  const head = element("p", {}, failure.code ? element("strong", {}, `${failure.code} `) : null, failure.message);
  const help = failure.help ? element("p", { class: "help" }, failure.help) : null;
  return element("div", { class: "failure", role: "alert" }, head, help);
}

/** A line under the bar, with perhaps something to do; nothing takes it away. */
export function notice(text: string, actions: [string, () => void][] = []): void {
  const host = byId("notice");
  const close = (): void => {
    host.hidden = true;
  };
  const buttons = [...actions, ["Close", () => {}] as [string, () => void]].map(([label, act]) =>
    element("button", { type: "button", class: "small", onclick: () => (close(), act()) }, label),
  );
  host.replaceChildren(element("span", {}, text), ...(text ? buttons : []));
  host.hidden = text === "";
}

/** Asks a question; gives the answer chosen, or nothing. With `value` a text can be entered. */
export function question(title: string, text: string, answers: string[], value?: string): Promise<{ answer: string; value: string } | null> {
  const dialog = byId<HTMLDialogElement>("question");
  const input = element("input", { type: "text", value: value ?? "", "aria-label": title, hidden: value === undefined });
  return new Promise((resolve) => {
    let result: { answer: string; value: string } | null = null;
    const choose = (answer: string) => (): void => {
      result = { answer, value: input.value.trim() };
      dialog.close();
    };
    const buttons = answers.map((answer, k) =>
      element("button", { type: k === 0 ? "submit" : "button", class: k === 0 ? "primary" : "", onclick: k === 0 ? null : choose(answer) }, answer),
    );
    const cancel = element("button", { type: "button", onclick: () => dialog.close() }, "Cancel");
    const form = element("form", { method: "dialog" }, element("h2", { id: "question-title" }, title), element("p", {}, text), input, element("div", { class: "buttons" }, ...buttons, cancel));
    form.onsubmit = (event) => {
      event.preventDefault();
      choose(answers[0])();
    };
    dialog.replaceChildren(form);
    dialog.onclose = () => resolve(result);
    dialog.showModal();
  });
}
