"""Equations as they are written in the manual, in plain text with Unicode, as MathML.

`η' = a + M^(-1/2) B⁺ (b − A a)` has letters, superscripts (`⁻¹`, `ᵀ`, `^(...)`), subscripts (`_p`, `_{pq}`), primes, and words in
between. Words of two letters and more are text, but for names of functions.
"""

import html
import re
from typing import List, Tuple

#: A numbered line of a block of equations: tag, two spaces or more, the rest.
TAGGED = re.compile(r"^([A-Z]\d+[a-z]?)(?:\s{2,})(\S.*)$")
RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀᵗⁿᵏ", "0123456789−+Ttnk")
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₙₖₘᵢⱼ₊₋", "0123456789nkmij+−")
FUNCTIONS = {"sin", "cos", "tan", "exp", "log", "det", "ker", "min", "max", "rank", "grad", "dot", "sum", "sqrt", "im"}
TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<raised>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀᵗⁿᵏ]+)|(?P<lowered>[₀₁₂₃₄₅₆₇₈₉ₙₖₘᵢⱼ₊₋]+)|(?P<prime>'+)"
    r"|(?P<number>\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
    r"|(?P<word>[^\W\d_⁰¹²³⁴⁵⁶⁷⁸⁹ᵀᵗⁿᵏ₀₁₂₃₄₅₆₇₈₉ₙₖₘᵢⱼ]+\d*)|(?P<script>[_^])|(?P<operator>:=|\.\.\.|->|<=|>=|!=)|(?P<other>.)"
)


def _tokens(text: str) -> List[Tuple[str, str]]:
    return [(found.lastgroup or "other", found.group()) for found in TOKEN.finditer(text)]


def _atom(kind: str, text: str) -> str:
    shown = html.escape(text, quote=False)
    if kind == "number":
        return f"<mn>{shown}</mn>"
    if kind == "word":
        letters = text.rstrip("0123456789")
        if len(letters) > 1 and letters.isascii() and letters not in FUNCTIONS:
            return f"<mtext>{shown}</mtext>"
        index = text[len(letters):]
        name = f"<mi>{html.escape(letters, quote=False)}</mi>"
        return f"<msub>{name}<mn>{index}</mn></msub>" if index else name
    return f"<mo>{shown}</mo>"


class _Row:
    def __init__(self, tokens: List[Tuple[str, str]]) -> None:
        self.tokens, self.at = tokens, 0

    def take(self, closing: str = "") -> List[str]:
        """Elements up to a closing bracket."""
        out: List[str] = []
        while self.at < len(self.tokens):
            kind, text = self.tokens[self.at]
            self.at += 1
            if text == closing:
                return out
            if kind == "space":
                wide = len(text) > 1 or (out and out[-1].startswith("<mtext")) or self.next_is_text()
                if out:
                    out.append(f'<mspace width="{("0.5em" if len(text) == 1 else "1.5em") if wide else "0.16em"}"/>')
            elif kind == "script" and out:
                tag = "msub" if text == "_" else "msup"
                out[-1] = f"<{tag}>{out[-1]}{self.argument(tag)}</{tag}>"
            elif kind == "raised" and out:
                out[-1] = f"<msup>{out[-1]}{_raised(text)}</msup>"
            elif kind == "lowered" and out:
                out[-1] = f"<msub>{out[-1]}<mi>{text.translate(LOWERED)}</mi></msub>"
            elif kind == "prime" and out:
                out[-1] = f"<msup>{out[-1]}<mo>{'′' * len(text)}</mo></msup>"
            elif text in "([":
                inner = self.take({"(": ")", "[": "]"}[text])
                close = {"(": ")", "[": "]"}[text]
                out.append(f"<mrow>{_bracket(text)}{''.join(inner)}{_bracket(close)}</mrow>")
            else:
                out.append(_atom(kind, text))
        return out

    def next_is_text(self) -> bool:
        return self.at < len(self.tokens) and _atom(*self.tokens[self.at]).startswith("<mtext")

    def argument(self, tag: str) -> str:
        """What is raised or lowered: a bracket without its brackets, or one thing."""
        if self.at >= len(self.tokens):
            return "<mrow></mrow>"
        kind, text = self.tokens[self.at]
        self.at += 1
        if text in "({" and (text == "{" or tag == "msup"):
            return f"<mrow>{''.join(self.take({'(': ')', '{': '}'}[text]))}</mrow>"
        return f"<mi>{html.escape(text, quote=False)}</mi>" if kind == "word" else _atom(kind, text)


def _bracket(text: str) -> str:
    return f'<mo stretchy="false">{text}</mo>'


def _raised(text: str) -> str:
    plain = text.translate(RAISED)
    if plain == "T":
        return '<mi mathvariant="normal">T</mi>'
    return f"<mrow><mo>{plain[0]}</mo><mn>{plain[1:]}</mn></mrow>" if plain[0] in "−+" and len(plain) > 1 else f"<mn>{plain}</mn>"


def formula(text: str) -> str:
    """A formula as MathML."""
    row = "".join(_Row(_tokens(text.strip())).take())
    # Neighbouring words are one text.
    row = re.sub(r'</mtext><mspace width="0.5em"/><mtext>', " ", row)
    return f"<math><mrow>{row}</mrow></math>"


def block(fence: str) -> str:
    """A fenced block of numbered equations as a table of formulas; any other block as it is."""
    lines = fence.strip().splitlines()
    if lines[0].strip() != "```text":
        return fence
    body = [line for line in lines[1:-1] if line.strip()]
    if not body or not TAGGED.match(body[0]):
        return fence
    rows = []
    for line in body:
        found = TAGGED.match(line)
        tag, rest = found.groups() if found else ("", line.strip())
        parts = re.split(r"\s{3,}", rest)
        cells = "".join(f"<td>{formula(part)}</td>" for part in parts)
        rows.append(f"<tr><td>{tag}</td>{cells}</tr>")
    return f'\n<div class="equations"><table><tbody>\n{chr(10).join(rows)}\n</tbody></table></div>\n'


#: Inline code that is mathematics: a letter of Greek, an operator or a script that no program text here has.
INLINE = re.compile(r"`([^`\n]*[ηλωψφθΣ∂ᵀ⁺⁻≠≤≥−·][^`\n]*|[A-Z] = [A-Z] [A-Z]\^[^`\n]*)`")


def inline(text: str) -> str:
    """Inline code that is mathematics as MathML; paths, names of programs and options stay code."""
    def replaced(found: "re.Match[str]") -> str:
        code = found.group(1)
        if "::" in code or "--" in code or ".rs" in code or re.search(r"[a-z]{2,}_[a-z]{2,}|\b[a-z]{4,}\b", code):
            return found.group(0)
        return formula(code)

    return INLINE.sub(replaced, text)
