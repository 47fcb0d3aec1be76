// Colours for the model language: words, names, numbers, units, comments. The grammar itself is the server's business.

import { StreamLanguage, type StringStream } from "@codemirror/language";

// Words: written by `cargo xtask words`.
const KEYWORDS = new Set(`
  actuate body complete_integral const constraint contact coordinate damper dissipation draw event for
  force friction initial joint kinematics kinetic lagrangian let mass nonideal output parameter
  potential require simulate speed spring system weight work if then else and or not in at on
  coefficient velocity static normal decay until every method tolerance rising falling stop point line
  circle trace
`.trim().split(/\s+/));
const FUNCTIONS = new Set(`
  abs acos asin atan atan2 cos cosh cross delta diff dot exp log max min norm sign sin sinh sqrt sum
  tan tanh transpose impressed ideal nonideal control multiplier reaction residual friction power work
  t pi energy kinetic_energy potential_energy gauss
`.trim().split(/\s+/));
// End of words.

function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^"[^"]*"?/)) return "string";
  if (stream.match(/^\{[^}]*\}?/)) return "unit";
  if (stream.match(/^\d+(\.\d*)?([eE][-+]?\d+)?|^\.\d+([eE][-+]?\d+)?/)) return "number";
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
  if (word) {
    if (KEYWORDS.has(word[0])) return "keyword";
    return FUNCTIONS.has(word[0]) ? "variableName.function" : "variableName";
  }
  stream.next();
  return "operator";
}

export const dal = StreamLanguage.define({
  name: "dal",
  token,
  languageData: { commentTokens: { line: "#" }, closeBrackets: { brackets: ["(", "[", "{", '"'] } },
});
