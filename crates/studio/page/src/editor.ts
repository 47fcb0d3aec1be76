// The editor: colours, problems at their place, hover, completion.

import { autocompletion, closeBrackets, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { HighlightStyle, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic as Mark } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { ask, type Diagnostic, type Place } from "./api";
import { dal } from "./dal";
import { element } from "./dom";

export interface Commands {
  changed(): void;
  run(): void;
  save(): void;
}

export interface Editor {
  text(): string;
  load(text: string): void;
  mark(diagnostics: Diagnostic[]): void;
  goTo(place: Place): void;
  replace(text: string): void;
  /** Writes a replacement at its place. */
  mend(what: { replacement: string } & Place): void;
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--keyword)", fontWeight: "600" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.string, color: "var(--string)" },
  { tag: tags.unit, color: "var(--unit)" },
  { tag: tags.number, color: "var(--number)" },
  { tag: tags.function(tags.variableName), color: "var(--function)" },
  { tag: tags.operator, color: "var(--soft)" },
]);

export function makeEditor(parent: HTMLElement, commands: Commands): Editor {
  const act = (action: () => void) => () => (action(), true);
  const own = keymap.of([
    { key: "Mod-Enter", run: act(commands.run), preventDefault: true },
    { key: "Mod-s", run: act(commands.save), preventDefault: true },
  ]);
  let loading = false;
  const extensions = [
    own,
    lineNumbers(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    EditorState.allowMultipleSelections.of(true),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    dal,
    syntaxHighlighting(colours),
    lintGutter(),
    hoverTooltip(hover),
    autocompletion({ override: [complete] }),
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Model text", spellcheck: "false" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !loading) commands.changed();
    }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ extensions }) });
  return {
    text: () => view.state.doc.toString(),
    load(text) {
      loading = true;
      view.setState(EditorState.create({ doc: text, extensions }));
      loading = false;
    },
    mark(diagnostics) {
      const marks = diagnostics.filter((d) => d.line !== null).map((d) => markOf(d, view.state.doc));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    goTo(place) {
      const [from] = spanOf(place, view.state.doc);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    mend(what) {
      const [from, to] = spanOf(what, view.state.doc);
      view.dispatch({ changes: { from, to, insert: what.replacement } });
    },
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
  };
}

function markOf(d: Diagnostic, doc: Text): Mark {
  const [from, to] = spanOf(d, doc);
  const message = [d.message, d.help && `Help: ${d.help}`].filter(Boolean).join("\n");
  const severity = d.severity === "note" ? "info" : d.severity;
  const mend = d.suggestion;
  const actions = mend?.line
    ? [{
        name: mend.replacement ? `Write “${mend.replacement}”` : "Remove",
        apply(view: EditorView) {
          const [from, to] = spanOf(mend, view.state.doc);
          view.dispatch({ changes: { from, to, insert: mend.replacement } });
        },
      }]
    : [];
  return { from, to, severity, message, source: d.code, actions };
}

/** From lines and columns, which count characters from 1, to offsets, which count UTF-16 units. */
function spanOf(place: Place, doc: Text): [number, number] {
  const offset = (line: number, column: number): number => {
    if (line > doc.lines) return doc.length;
    const { from, text } = doc.line(line);
    let units = 0;
    for (const character of text) {
      if (--column <= 0) break;
      units += character.length;
    }
    return from + units;
  };
  const from = offset(place.line ?? 1, place.column ?? 1);
  const to = place.end ? offset(place.end.line, place.end.column) : from;
  return [from, Math.max(from, to)];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Offsets in bytes of UTF-8, as the server counts, and back. */
const bytesAt = (text: string, offset: number): number => encoder.encode(text.slice(0, offset)).length;
const unitsAt = (text: string, bytes: number): number => decoder.decode(encoder.encode(text).slice(0, bytes)).length;

interface Span {
  start: number;
  end: number;
}

interface Tip {
  hover?: { span: Span; name: string; what: string; details: string[]; code: string | null } | null;
}

async function hover(view: EditorView, position: number) {
  const text = view.state.doc.toString();
  const { hover: tip } = await ask<Tip>("hover", { text, at: bytesAt(text, position) });
  if (!tip || view.state.doc.toString() !== text) return null;
  const dom = element("div", { class: "tip" }, element("strong", {}, tip.name), ` ${tip.what}`);
  if (tip.code) dom.append(element("pre", {}, tip.code));
  for (const detail of tip.details) dom.append(element("div", {}, detail));
  return { pos: unitsAt(text, tip.span.start), end: unitsAt(text, tip.span.end), create: () => ({ dom }) };
}

interface Offers {
  completions?: { label: string; kind: string; detail: string; documentation: string | null; replace: Span }[];
}

async function complete(context: CompletionContext): Promise<CompletionResult | null> {
  if (!context.explicit && !context.matchBefore(/[\p{L}_][\p{L}\p{N}_]*$/u)) return null;
  const text = context.state.doc.toString();
  const { completions } = await ask<Offers>("complete", { text, at: bytesAt(text, context.pos) });
  if (!completions?.length || context.aborted) return null;
  const from = unitsAt(text, completions[0].replace.start);
  const options: Completion[] = completions.map((c) => ({
    label: c.label,
    detail: c.detail,
    info: c.documentation ?? undefined,
    type: c.kind,
  }));
  return { from, options, validFor: /^[\p{L}\p{N}_]*$/u };
}
