// The text in hand: a file, an example or a new model; opened, changed, kept in the browser until it is saved.

import { examples, files, readFile, saveFile, session, type Example } from "./api";
import { byId, element } from "./dom";
import { drafts, keep, kept, last, setLast, type Identity } from "./drafts";
import { notice, question } from "./messages";
import { textOf } from "./share";

export interface Documents {
  /** Begins with a text that a link brought, or with what was open last. */
  begin(shared?: string | null): Promise<void>;
  changed(): void;
  save(): Promise<void>;
  choose(): Promise<void>;
  name(): string;
}

const FIRST = "double_pendulum.dal";
const BACK = "Changes that were not saved are back.";
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
  let own: Identity = { kind: "new", name: "" };
  let version: string | null = null;
  /** What is on disk, or in the gallery, with line ends of one kind. */
  let saved: string | null = null;
  /** How lines of the file end. */
  let ends = "\n";
  let gallery: Example[] = [];
  const label = byId("name");
  const failed = (error: Error): void => notice(error.message);

  function tell(): void {
    const changed = text() !== saved;
    label.textContent = (changed ? "● " : "") + own.name;
    label.title = changed ? `${own.name}: not saved` : own.name;
    document.title = `${own.name} – Dalembert studio`;
  }

  function take(of: Identity, content: string, newVersion: string | null, onDisk: string | null): void {
    const mixed = onDisk !== null && /\r\n/.test(onDisk) && /(^|[^\r])\n/.test(onDisk);
    ends = onDisk !== null && /\r\n/.test(onDisk) && !mixed ? "\r\n" : "\n";
    [own, version, saved] = [of, newVersion, onDisk === null ? null : plain(onDisk)];
    notice(mixed ? "The lines of this file end in two ways; saving makes them all end in one." : "");
    load(plain(content));
    tell();
    setLast(own);
  }

  /** Takes the draft if there is one that says something else than what is saved. */
  function takeOrDraft(of: Identity, newVersion: string | null, onDisk: string, instead: string): void {
    const draft = kept(of);
    if (!draft || draft.text === plain(onDisk)) {
      keep(of, null);
      return take(of, onDisk, newVersion, onDisk);
    }
    // A draft that saw no version is not taken to have seen this one: saving asks.
    take(of, draft.text, draft.version, onDisk);
    const again = (): void => {
      keep(of, null);
      take(of, onDisk, newVersion, onDisk);
    };
    notice(BACK, [[instead, again]]);
  }

  async function openFile(name: string): Promise<void> {
    const disk = await readFile(name);
    takeOrDraft({ kind: "file", name }, disk.version, disk.text, "Open the file instead");
  }

  function openExample(example: Example): void {
    takeOrDraft({ kind: "example", name: example.name }, null, example.text, "Open the example as it was");
  }

  function openNew(): void {
    const taken = new Set(drafts().filter((d) => d.kind === "new").map((d) => d.name));
    let name = "new.dal";
    for (let k = 2; taken.has(name); k++) name = `new-${k}.dal`;
    take({ kind: "new", name }, BLANK, null, BLANK);
  }

  /** A draft whose file is not there, or that never had one. */
  function openDraft(of: Identity): void {
    const draft = kept(of);
    if (!draft) return openNew();
    take(of, draft.text, draft.version, null);
    const drop = (): void => {
      keep(of, null);
      openFirst();
    };
    notice(BACK, [["Discard them", drop]]);
  }

  function openFirst(): void {
    openExample(gallery.find((e) => e.name === FIRST) ?? gallery[0]);
  }

  /** Opens what this is, or says why that cannot be. */
  async function reopen(of: Identity): Promise<void> {
    const example = of.kind === "example" ? gallery.find((e) => e.name === of.name) : undefined;
    if (example) return openExample(example);
    if (of.kind !== "file") return kept(of) ? openDraft(of) : openFirst();
    try {
      await openFile(of.name);
    } catch (error) {
      if (kept(of)) openDraft(of);
      else openFirst();
      notice(`${(error as Error).message}; ${own.kind === "example" ? "this is an example" : "these are changes that were not saved"}.`);
    }
  }

  /** A text from a link: a new model, whose draft is its own. */
  function openShared(content: string): void {
    const of: Identity = { kind: "new", name: "shared.dal" };
    keep(of, { text: content, version: null });
    take(of, content, null, null);
    notice("This model came with a link. Save it to keep it as a file.");
  }

  async function begin(shared: string | null = null): Promise<void> {
    gallery = await examples();
    const before = last();
    if (shared !== null) openShared(shared);
    else if (before) await reopen(before);
    else openFirst();
    if (!session.writable) notice("This folder cannot be written to: models can be opened and run, but not saved here.");
  }

  function changed(): void {
    keep(own, text() === saved ? null : { text: text(), version });
    tell();
  }

  async function save(): Promise<void> {
    if (!session.writable) return notice("This folder cannot be written to; export or copy the text instead.");
    if (own.kind === "file") return put(own.name, version);
    const answer = await question("Save as", `A file in ${session.folder}, its name ends in .dal.`, ["Save"], own.name);
    if (answer?.value) await put(answer.value.endsWith(".dal") ? answer.value : `${answer.value}.dal`, null);
  }

  async function put(as: string, over: string | null): Promise<void> {
    const content = text();
    const done = await saveFile(as, content.replaceAll("\n", ends), over);
    if (done.failed) return notice(`Not saved: ${done.failed}`);
    if (done.conflict !== undefined) return settle(as, over, done.conflict, done.version ?? null);
    keep(own, null);
    [own, version, saved] = [{ kind: "file", name: as }, done.version ?? null, content];
    // Typed while it was on its way.
    if (text() !== saved) keep(own, { text: text(), version });
    else keep(own, null);
    setLast(own);
    notice("");
    tell();
  }

  /** What is on disk is not what was seen. */
  async function settle(as: string, over: string | null, conflict: string, there: string | null): Promise<void> {
    if (there === null) {
      const answer = await question("Save anyway?", `${conflict}; saving makes it anew.`, ["Save"]);
      return answer ? put(as, null) : undefined;
    }
    const said = over === null ? `There is a file ${as} already.` : `${conflict}; saving would lose that.`;
    const answer = await question("Save anyway?", said, ["Overwrite", "Open that file"]);
    if (answer?.answer === "Overwrite") return put(as, there);
    if (!answer) return;
    keep({ kind: "file", name: as }, null);
    await openFile(as).catch(failed);
  }

  async function choose(): Promise<void> {
    const dialog = byId<HTMLDialogElement>("chooser");
    const close = (act: () => void) => () => (dialog.close(), act());
    const card = (title: string, about: string, act: () => void): HTMLElement =>
      element("button", { type: "button", class: "card", onclick: close(act) }, element("strong", {}, title), element("small", {}, about));
    const names = await files().catch((error: Error) => (failed(error), []));
    const unsaved = (kind: Identity["kind"], name: string): boolean => kept({ kind, name }) !== null;
    const list = names.map((name) => card(name, unsaved("file", name) ? "changes not saved" : "", () => void openFile(name).catch(failed)));
    const about: Record<Identity["kind"], string> = { file: "changes of a file", example: "a changed example", new: "a new model" };
    const left = drafts().map((of) => card(of.name, about[of.kind], () => void reopen(of)));
    const kinds = [...new Set(gallery.map((e) => e.kind))].flatMap((kind) => [
      element("h3", {}, kind),
      element("div", { class: "cards" }, ...gallery.filter((e) => e.kind === kind).map((e) => card(e.title, e.about, () => openExample(e)))),
    ]);
    const section = (title: string, ...content: HTMLElement[]): HTMLElement =>
      element("details", { open: true }, element("summary", {}, title), ...content);
    const link = element("input", { type: "text", placeholder: "or a link that holds a model", "aria-label": "A link that holds a model" });
    link.oninput = () => void textOf(link.value).then((content) => content !== null && close(() => openShared(content))());
    dialog.replaceChildren(
      element("div", { class: "slider-head" },
        element("h2", { id: "chooser-title" }, "Open"),
        element("button", { type: "button", onclick: () => dialog.close() }, "Close")),
      element("div", { class: "link-row" },
        element("button", { type: "button", onclick: close(openNew) }, "New model"),
        link),
      ...(left.length ? [section(`Not saved (${left.length})`, element("div", { class: "cards files drafts" }, ...left))] : []),
      section(`Files in ${session.folder} (${list.length})`, element("div", { class: "cards files" }, ...list)),
      section(`Examples (${gallery.length})`, ...kinds),
    );
    dialog.showModal();
  }

  return { begin, changed, save, choose, name: () => own.name };
}

/** Lines as the editor has them. */
const plain = (text: string): string => text.replaceAll(/\r\n?/g, "\n");
