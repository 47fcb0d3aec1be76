// Formulas that can be broken inside their brackets: KaTeX breaks lines at signs, but not inside `\left( ... \right)` and
// not inside fractions.

/** Brackets with more inside than this may be broken. */
const LONG = 60;
/** Longer numerators are written behind `1/D`, in brackets. */
const LONG_NUMERATOR = 150;

/** The same formula, with long brackets and numerators written so that lines can be broken in them. */
export function breakable(latex: string): string {
  if (latex.includes("\\begin{")) return latex;
  let out = "";
  let at = 0;
  while (at < latex.length) {
    const rest = latex.slice(at, at + 7);
    if (rest.startsWith("\\frac{")) {
      const above = group(latex, at + 5);
      const below = group(latex, above);
      const [n, d] = [latex.slice(at + 6, above - 1), latex.slice(above + 1, below - 1)];
      out += n.length > LONG_NUMERATOR ? `\\frac{1}{${d}} \\, \\Bigl( ${breakable(n)} \\Bigr)` : latex.slice(at, below);
      at = below;
    } else if (rest.startsWith("\\left(") || rest.startsWith("\\left[")) {
      const end = closing(latex, at);
      const [open, close] = [latex[at + 5], latex[end - 1]];
      const inside = latex.slice(at + 6, end - 7);
      const size = inside.includes("\\frac") ? "Big" : "big";
      out += inside.length > LONG ? `\\${size}l${open} ${breakable(inside)} \\${size}r${close}` : latex.slice(at, end);
      at = end;
    } else if (latex[at] === "{") {
      const end = group(latex, at);
      out += latex.slice(at, end);
      at = end;
    } else if (latex[at] === "\\") {
      const command = /^\\([a-zA-Z]+|.)/.exec(latex.slice(at, at + 40))?.[0] ?? "\\";
      out += command;
      at += command.length;
    } else out += latex[at++];
  }
  return out;
}

/** Where the group that begins at a brace ends. */
function group(latex: string, from: number): number {
  let depth = 0;
  for (let k = from; k < latex.length; k++) {
    if (latex[k] === "\\") k++;
    else if (latex[k] === "{") depth++;
    else if (latex[k] === "}" && --depth === 0) return k + 1;
  }
  return latex.length;
}

/** Behind the `\right` that belongs to a `\left`, with its bracket. */
function closing(latex: string, from: number): number {
  const words = /\\(left|right)(?![a-zA-Z])(\\[a-zA-Z]+|\\?.)/g;
  words.lastIndex = from;
  let depth = 0;
  for (let found = words.exec(latex); found; found = words.exec(latex)) {
    depth += found[1] === "left" ? 1 : -1;
    if (depth === 0) return found.index + found[0].length;
  }
  return latex.length;
}
