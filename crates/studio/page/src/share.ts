// A link that holds the text of a model behind its `#`: compressed, so that a long model fits, and read by any studio. What
// stands behind `#` is not sent to a server.

import { element } from "./dom";
import { notice } from "./messages";

const KEY = "model=";
/** Texts from links are bounded before they are unpacked. */
const MAX_LINK = 200_000;
const MAX_TEXT = 1_000_000;

export function makeShare(button: HTMLElement, text: () => string): void {
  button.onclick = async () => {
    const link = await linkOf(text());
    const box = element("input", { type: "text", readOnly: true, value: link, id: "share-link", "aria-label": "The link" });
    const copied = await copy(link);
    notice(copied ? "The link is copied: whoever opens it in a studio has this text." : "Copy this link: whoever opens it in a studio has this text.");
    document.getElementById("notice")?.append(box);
    if (!copied) box.select();
  };
}

/** Puts a text on the clipboard, where that is allowed. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

async function linkOf(text: string): Promise<string> {
  const packed = await through(new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")));
  const raw = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  const letters = btoa(raw).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${location.origin}/#${KEY}${letters}`;
}

/** The text in a link, or nothing where it holds none. */
export async function textOf(link: string): Promise<string | null> {
  const at = link.indexOf(`#${KEY}`);
  if (at < 0 || link.length > MAX_LINK) return null;
  try {
    const letters = link.slice(at + 1 + KEY.length).trim().replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(letters), (c) => c.charCodeAt(0));
    const unpacked = await through(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")));
    return new TextDecoder().decode(unpacked);
  } catch {
    return null;
  }
}

/** All bytes of a stream, unless there are too many. */
async function through(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > MAX_TEXT) throw new Error("too long");
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** The text that the address of this page brought; the address is then plain again. */
export async function sharedText(): Promise<string | null> {
  if (!location.hash.startsWith(`#${KEY}`)) return null;
  const text = await textOf(location.href);
  history.replaceState(null, "", location.pathname);
  if (text === null) notice("The link holds no model that can be read.");
  return text;
}
