// Texts that are not saved, kept in the browser: those of files, of examples and of new models each under a name of its own.

import { session } from "./api";

/** What a text belongs to: a file of the folder, an example, or nothing yet. */
export interface Identity {
  kind: "file" | "example" | "new";
  name: string;
}

export interface Draft {
  text: string;
  /** What the file was when it was opened; null where there was none. */
  version: string | null;
}

const prefix = (): string => `dalembert:${session.folder}:`;
const keyOf = ({ kind, name }: Identity): string => `${prefix()}${kind}:${name}`;

function read<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}

function write(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A full or forbidden store keeps nothing; the text is still in the editor.
  }
}

export const keep = (of: Identity, draft: Draft | null): void => write(keyOf(of), draft);

export function kept(of: Identity): Draft | null {
  const draft = read<Draft>(keyOf(of));
  return typeof draft?.text === "string" ? draft : null;
}

/** All drafts of this folder. */
export function drafts(): Identity[] {
  let keys: string[] = [];
  try {
    keys = Object.keys(localStorage);
  } catch {
    return [];
  }
  return keys
    .filter((key) => key.startsWith(prefix()))
    .map((key) => key.slice(prefix().length).match(/^(file|example|new):(.*)$/s))
    .filter((parts) => parts !== null)
    .map((parts) => ({ kind: parts[1] as Identity["kind"], name: parts[2] }))
    .filter(kept)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What was open last. */
export function last(): Identity | null {
  const found = read<Identity>(`${prefix()}last`);
  return typeof found?.name === "string" && ["file", "example", "new"].includes(found.kind) ? found : null;
}

export const setLast = (of: Identity): void => write(`${prefix()}last`, of);
