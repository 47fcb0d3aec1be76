// Colours for the model language: words, names, numbers, units, comments. The grammar itself is the server's business.

import { StreamLanguage, type StringStream } from "@codemirror/language";

// Words: written by `cargo xtask words`.
const KEYWORDS = new Set(`
  actuate body bushing complete_integral const constraint contact coordinate damper discrete
  dissipation draw event for force frame friction gravity initial input joint kinematics kinetic
  lagrangian let mass nonideal output parameter potential require simulate speed spring state system
  table torque weight work if then else and or not in at on coefficient velocity static normal decay
  until every method tolerance rising falling stop do limit point line circle trace of ground from to
  turned by axis axes limits restitution armature cut pitch length angle between centre inertia about
  radius size
`.trim().split(/\s+/));
const FUNCTIONS = new Set(`
  abs acos asin atan atan2 cos cosh cross delta diff dot exp log max min norm sign sin sinh sqrt sum
  tan tanh transpose acosh angular_velocity asinh atanh floor log10 mod quaternion rotation rpy
  impressed ideal nonideal control multiplier reaction residual friction power work force torque drive
  angular_momentum t pi energy kinetic_energy potential_energy gauss momentum centre_of_mass ground
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
