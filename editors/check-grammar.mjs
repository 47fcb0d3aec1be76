// Tokenises every model with the engine of VS Code and checks the scopes of what is plain to see.
//
//   npm install --no-save vscode-textmate vscode-oniguruma && node editors/check-grammar.mjs
//
// `--show FILE` prints the tokens of a model.
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(join(process.cwd(), "package.json"));
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");
const here = dirname(fileURLToPath(import.meta.url));
const models = join(here, "..", "models");

await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma").replace(/main\.js$/, "onig.wasm")).buffer);
const text = readFileSync(join(here, "dal.tmLanguage.json"), "utf8");
const repository = JSON.parse(text).repository;
const words = (rule, group) => repository[rule].match.match(group)[1].split("|");
const KEYWORDS = words("statement", /\(([a-z_|]+)\)/);
const FUNCTIONS = words("function", /\(([a-z0-9_|]+)\)/);

const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (s) => new oniguruma.OnigString(s),
  }),
  loadGrammar: async () => textmate.parseRawGrammar(text, "dal.tmLanguage.json"),
});
const grammar = await registry.loadGrammar("source.dal");

function tokenise(source) {
  let stack = textmate.INITIAL;
  return source.split(/\r?\n/).map((line) => {
    const result = grammar.tokenizeLine(line, stack);
    stack = result.ruleStack;
    return { line, tokens: result.tokens };
  });
}

if (process.argv[2] === "--show") {
  for (const { line, tokens } of tokenise(readFileSync(process.argv[3], "utf8")))
    for (const t of tokens)
      console.log(JSON.stringify(line.slice(t.startIndex, t.endIndex)), t.scopes.at(-1));
  process.exit(0);
}

let failures = 0;
let checked = 0;
function expect(file, number, line, at, scope, tokens) {
  checked += 1;
  const token = tokens.find((t) => t.startIndex <= at && at < t.endIndex);
  if (!token || !token.scopes.some((s) => s.startsWith(scope))) {
    failures += 1;
    console.error(`${file}:${number}:${at + 1}: ${scope} expected, ${token?.scopes.at(-1)} found: ${line}`);
  }
}

for (const file of readdirSync(models).filter((name) => name.endsWith(".dal"))) {
  tokenise(readFileSync(join(models, file), "utf8")).forEach(({ line, tokens }, i) => {
    const check = (at, scope) => expect(file, i + 1, line, at, scope, tokens);
    const bare = line.replace(/"(?:\\.|[^"\\])*"/g, (s) => " ".repeat(s.length));
    const hash = bare.indexOf("#");
    const code = hash < 0 ? bare : bare.slice(0, hash);
    if (hash >= 0) check(hash, "comment");
    if (line.includes('"') && (hash < 0 || line.indexOf('"') < hash)) check(line.indexOf('"'), "string");
    for (const m of code.matchAll(/(?:^|[;{])\s*([a-z_]+)(?=\s+[^=\s*/+^-])/g))
      if (KEYWORDS.includes(m[1])) check(m.index + m[0].length - 1, "keyword.control");
    const plain = code.replace(/\{[^{};=]*\}/g, (s) => " ".repeat(s.length));
    for (const m of plain.matchAll(/(?<![\p{L}\p{N}_.])\d+(?:\.\d+)?/gu)) check(m.index, "constant.numeric");
    for (const m of plain.matchAll(/(?<![\p{L}\p{N}_])([a-z0-9]+)(?=\()/gu))
      if (FUNCTIONS.includes(m[1])) check(m.index, "support.function");
    for (const m of plain.matchAll(/[\p{L}_][\p{L}\p{N}_]*('+)/gu))
      check(m.index + m[0].length - 1, "keyword.operator.rate");
    for (const m of code.matchAll(/(?:parameter|coordinate|speed)\b[^#]*?(\{[^{};=]*\})/g))
      check(m.index + m[0].length - 2, "support.type.unit");
  });
}
console.log(`${checked} places checked, ${failures} wrong`);
process.exit(failures ? 1 : 0);
