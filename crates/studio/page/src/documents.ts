// The file in hand: opened, changed, kept in the browser until it is saved.

import { examples, files, readFile, saveFile, session, type Example } from "./api";
import { byId, element } from "./dom";
import { notice, question } from "./messages";

export interface Documents {
  begin(): Promise<void>;
  changed(): void;
  save(): Promise<void>;
  choose(): Promise<void>;
  name(): string;
}

interface Draft {
  text: string;
  /** What the file was when it was opened; null where there is none. */
  version: string | null;
}

const FIRST = "double_pendulum.dal";
const BLANK = `# What the system is.
system "New model"
parameter m = 1, l = 1, g = 9.81
coordinate theta
let P = [l*sin(theta), -l*cos(theta)]
kinetic m/2*dot(P', P')
potential m*g*P.y
initial theta = 1
draw line [0, 0], P
draw point P
simulate until 10
`;

export function makeDocuments(text: () => string, load: (text: string) => void): Documents {
  let name = "";
  let version: string | null = null;
  let saved: string | null = null;
  let gallery: Example[] = [];
  const label = byId("name");

  const key = (of: string): string => `dalembert:${session.folder}:${of}`;
  const keep = (of: string, draft: Draft | null): void => {
    try {
      if (draft) localStorage.setItem(key(of), JSON.stringify(draft));
      else localStorage.removeItem(key(of));
    } catch {
      // A full or forbidden store keeps nothing; the text is still in the editor.
    }
  };
  const kept = (of: string): Draft | null => {
    try {
      return JSON.parse(localStorage.getItem(key(of)) ?? "null");
    } catch {
      return null;
    }
  };

  function tell(): void {
    const changed = text() !== saved;
    label.textContent = (changed ? "● " : "") + name;
    label.title = changed ? `${name}: not saved` : name;
    document.title = `${name} – Dalembert studio`;
  }

  function take(newName: string, content: string, newVersion: string | null, onDisk: string | null): void {
    [name, version, saved] = [newName, newVersion, onDisk];
    notice("");
    load(content);
    tell();
    try {
      localStorage.setItem(key("last"), JSON.stringify(name));
    } catch {
      // As above.
    }
  }

  async function openFile(wanted: string): Promise<void> {
    const disk = await readFile(wanted);
    const draft = kept(wanted);
    if (!draft || draft.text === disk.text) return take(wanted, disk.text, disk.version, disk.text);
    take(wanted, draft.text, draft.version ?? disk.version, disk.text);
    const again = (): void => {
      keep(wanted, null);
      take(wanted, disk.text, disk.version, disk.text);
    };
    notice("Changes that were not saved are back.", [["Open the file instead", again]]);
  }

  function openExample(example: Example): void {
    take(example.name, example.text, null, example.text);
  }

  async function begin(): Promise<void> {
    gallery = await examples();
    let last: string | null = null;
    try {
      last = JSON.parse(localStorage.getItem(key("last")) ?? "null");
    } catch {
      last = null;
    }
    if (last && (await files()).includes(last)) return openFile(last);
    const draft = last ? kept(last) : null;
    if (last && draft) return take(last, draft.text, draft.version, null);
    const first = gallery.find((e) => e.name === (last ?? FIRST)) ?? gallery.find((e) => e.name === FIRST) ?? gallery[0];
    openExample(first);
    if (!session.writable) notice("This folder cannot be written to: models can be opened and run, but not saved here.");
  }

  function changed(): void {
    keep(name, { text: text(), version });
    tell();
  }

  async function save(): Promise<void> {
    if (!session.writable) return notice("This folder cannot be written to; export or copy the text instead.");
    if (version !== null) return put(name, version);
    const answer = await question("Save as", `A file in ${session.folder}, its name ends in .dal.`, ["Save"], name);
    if (answer?.value) await put(answer.value.endsWith(".dal") ? answer.value : `${answer.value}.dal`, null);
  }

  async function put(as: string, over: string | null): Promise<void> {
    const content = text();
    const done = await saveFile(as, content, over);
    if (done.failed) return notice(`Not saved: ${done.failed}`);
    if (done.conflict !== undefined) {
      const there = done.version != null;
      const said = over === null ? `There is a file ${as} already.` : `${done.conflict}; saving would lose that.`;
      const answer = await question("Save anyway?", said, there ? ["Overwrite", "Open that file"] : ["Save"]);
      if (answer?.answer === "Open that file") {
        keep(as, null);
        await openFile(as);
      } else if (answer) await put(as, done.version ?? null);
      return;
    }
    keep(name, null);
    [name, version, saved] = [as, done.version ?? null, content];
    try {
      localStorage.setItem(key("last"), JSON.stringify(name));
    } catch {
      // As above.
    }
    tell();
  }

  async function choose(): Promise<void> {
    const dialog = byId<HTMLDialogElement>("chooser");
    const close = (act: () => void) => () => (dialog.close(), act());
    const failed = (error: Error): void => notice(error.message);
    const card = (title: string, about: string, act: () => void): HTMLElement =>
      element("button", { type: "button", class: "card", onclick: close(act) }, element("strong", {}, title), element("small", {}, about));
    const list = (await files().catch((error: Error) => (failed(error), []))).map((file) =>
      card(file, kept(file) ? "changes not saved" : "", () => void openFile(file).catch(failed)),
    );
    const kinds = [...new Set(gallery.map((e) => e.kind))].flatMap((kind) => [
      element("h3", {}, kind),
      element("div", { class: "cards" }, ...gallery.filter((e) => e.kind === kind).map((e) => card(e.title, e.about, () => openExample(e)))),
    ]);
    dialog.replaceChildren(
      element("div", { class: "slider-head" },
        element("h2", { id: "chooser-title" }, "Open"),
        element("button", { type: "button", onclick: () => dialog.close() }, "Close")),
      element("button", { type: "button", onclick: close(() => take("new.dal", BLANK, null, null)) }, "New model"),
      element("details", { open: true }, element("summary", {}, `Files in ${session.folder} (${list.length})`), element("div", { class: "cards files" }, ...list)),
      element("details", { open: true }, element("summary", {}, `Examples (${gallery.length})`), ...kinds),
    );
    dialog.showModal();
  }

  return { begin, changed, save, choose, name: () => name };
}
