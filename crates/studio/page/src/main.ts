// The page: what a change of the text or of a slider sets in motion.

import "./style.css";
import { ask, connect, type Checked, type Diagnostic } from "./api";
import { makeDocuments } from "./documents";
import { byId, element, quiet } from "./dom";
import { makeEditor } from "./editor";
import { makeEquations } from "./equations";
import { makeExports } from "./exports";
import { makeFacts } from "./facts";
import { failureBox, notice } from "./messages";
import { makeRunner } from "./motion";
import { makeShare, sharedText } from "./share";
import { makeSliders } from "./sliders";
import { makeReport, makeStudy } from "./study";
import { makeTabs } from "./tabs";

let checked: Checked | undefined;
/** The text of the last run that was begun, whoever began it. */
let ranText: string | null = null;

const editor = makeEditor(byId("editor"), {
  changed: () => (documents.changed(), check()),
  run: () => void runNow(),
  save: () => void documents.save(),
});
const sliders = makeSliders(byId("sliders"), () => (runner.follow(), check()));
const question = () => ({ text: editor.text(), ...sliders.values() });
const runner = makeRunner(question, () => checked);
const equations = makeEquations();
const facts = makeFacts(byId("facts"), question);
const study = makeStudy(byId("study"), question, () => checked);
const report = makeReport(byId("report"), question);
const tabs = makeTabs(() => refresh());
const documents = makeDocuments(editor.text, (text) => {
  checked = undefined;
  sliders.clear();
  runner.clear();
  editor.load(text);
  ranText = text;
  void checkNow().then(runner.run);
});

const check = quiet(200, () => void checkNow());

async function checkNow(): Promise<void> {
  const asked = question();
  const answer = await ask<Checked>("check", asked);
  if (answer.ended || asked.text !== editor.text()) return;
  checked = answer;
  const said = answer.diagnostics ?? [];
  editor.mark(said);
  problems(said, answer);
  if (answer.sliders) sliders.show(answer);
  const wrong = said.some((d) => d.severity === "error") || Boolean(answer.failed);
  runner.outdated(wrong);
  for (const view of ["equations", "study", "facts", "report"]) byId(view).classList.toggle("outdated", wrong);
  refresh();
  if (!wrong && typed.checked && asked.text !== ranText) follow();
}

/** Runs the text as it stands now; a newer run takes the place of one on its way. */
function follow(): void {
  ranText = editor.text();
  void runner.run();
}

function refresh(): void {
  if (!checked) return;
  if (tabs.shown("facts") && checked.coordinates) facts.show(checked);
  if (tabs.shown("study")) study.show();
  if (tabs.shown("report")) report.show();
  if (tabs.shown("equations") && checked.coordinates) equations.show(editor.text());
}

async function runNow(): Promise<void> {
  tabs.show("motion");
  ranText = editor.text();
  await checkNow();
  await runner.run();
}

/** The problems as a list; one without a place is only here. What can be mended by writing something else has a button. */
function problems(list: Diagnostic[], answer: Checked): void {
  const rows = list.map((d) => {
    const place = d.line === null ? "" : `line ${d.line}: `;
    const row = element("button", { type: "button", class: `problem ${d.severity}` }, element("strong", {}, `${d.code} `), place + d.message, d.help ? element("small", {}, ` ${d.help}`) : null);
    row.onclick = () => {
      tabs.show("model");
      if (d.line !== null) editor.goTo(d);
    };
    const mend = d.suggestion;
    if (!mend?.line) return row;
    const fix = element("button", { type: "button", class: "small fix" }, mend.replacement ? `Write “${mend.replacement}”` : "Remove it");
    fix.onclick = () => editor.mend(mend);
    return element("div", { class: "mendable" }, row, fix);
  });
  byId("problems").replaceChildren(...(answer.failed ? [failureBox(answer.failed)] : []), ...rows);
  document.body.classList.toggle("wrong", list.some((d) => d.severity === "error"));
}

/** The text in its canonical form; what cannot be read stays as it is, and its problems are listed. */
async function format(): Promise<void> {
  const text = editor.text();
  const answer = await ask<{ text?: string }>("format", { text });
  if (answer.failed) notice(`Not formatted: ${answer.failed.message}`);
  else if (answer.text !== undefined && answer.text !== text && editor.text() === text) editor.replace(answer.text);
}

const typed = byId<HTMLInputElement>("typed");
typed.onchange = () => typed.checked && check();
byId("format").onclick = () => void format();
byId("run").onclick = () => void runNow();
byId("save").onclick = () => void documents.save();
byId("open").onclick = () => void documents.choose();
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  if (event.key === "Enter") void runNow();
  else if (event.key === "s") void documents.save();
  else return;
  event.preventDefault();
});
makeShare(byId("share"), () => editor.text());
makeExports(byId("export"), () => ({ ...question(), name: documents.name(), form: equations.form() }));

connect()
  .then(sharedText)
  .then(documents.begin)
  .catch((error: Error) => notice(`The studio cannot begin: ${error.message}`));
