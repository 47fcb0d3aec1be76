// Colours for the model language: words, names, numbers, units, comments. The grammar itself is the server's business.

import { StreamLanguage, type StringStream } from "@codemirror/language";

const STATEMENTS = new Set(
  ("system parameter const coordinate speed let kinetic potential lagrangian mass force dissipation constraint " +
    "nonideal friction require actuator weight initial output event draw simulate for sum in if then else and or not " +
    "until every tolerance method stop rising falling work power decay on with body joint spring damper contact " +
    "complete_integral constants line point circle trace").split(" "),
);
const FUNCTIONS = new Set(
  ("sin cos tan asin acos atan atan2 sinh cosh tanh exp log ln sqrt abs sign min max dot cross norm energy multiplier " +
    "reaction pi step d").split(" "),
);

function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^#.*/)) return "comment";
  if (stream.match(/^"[^"]*"?/)) return "string";
  if (stream.match(/^\{[^}]*\}?/)) return "unit";
  if (stream.match(/^\d+(\.\d*)?([eE][-+]?\d+)?|^\.\d+([eE][-+]?\d+)?/)) return "number";
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u) as RegExpMatchArray | null;
  if (word) {
    if (STATEMENTS.has(word[0])) return "keyword";
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
