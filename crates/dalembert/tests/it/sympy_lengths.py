"""Lengths of printed expressions beside those of SymPy.

Usage: sympy_lengths.py FOLDER TABLE SECONDS

FOLDER has one script for each model and form, as `derive --format python` writes it. Every expression of more than a
line is given to SymPy's `trigsimp` (as it is, and multiplied out) and `simplify`, SECONDS of processor time for all of
them together. TABLE is a record that is also the memory of this program: what is known of an expression, by a hash of
it, is not asked again, so a run that was ended goes on where it was, and later only what has changed is given to SymPy.
More seconds than before ask again for the ways that did not end. Expressions of which nothing is known come first, and
short ones before long ones. Columns of TABLE: name (model, form, left side, place in a matrix), our length, the length by
each way of SymPy or `-` where it did not end, the seconds it had, the hash. The exit code is 1 where one of ours is more
than twice as long as the shortest of SymPy's. Afterwards TABLE has the expressions of FOLDER only, sorted by name.
"""

import hashlib
import os
import re
import resource
import signal
import sys
import time

import sympy
from sympy import Equality, Expr, MatrixBase, expand, simplify, trigsimp

LINE = 100  # characters; what is shorter is not measured
MEMORY = 3 << 30  # bytes
WAYS = (trigsimp, lambda e: trigsimp(expand(e)), simplify)


class Late(BaseException):
    """Not an Exception: SymPy catches those."""


def late(*_):
    raise Late


def in_time(seconds, how, e):
    """The length of what a function of SymPy makes of an expression; None where it does not end."""
    try:
        # Again and again, should the first one be swallowed.
        signal.setitimer(signal.ITIMER_PROF, seconds, 1)
        length = len(str(how(e)))
        signal.setitimer(signal.ITIMER_PROF, 0)
        return length
    except (Late, MemoryError, RecursionError, ValueError, TypeError, AttributeError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def ask(e, found, seconds):
    """The lengths by SymPy's ways; those that ended are kept, what one leaves of its time the next ones have."""
    end = time.process_time() + seconds
    left = [k for k, n in enumerate(found) if n is None]
    for place, k in enumerate(left):
        found[k] = in_time(max((end - time.process_time()) / (len(left) - place), 0.01), WAYS[k], e)
    return found


def parts(text):
    """The entries of a list in a script, without those brackets around them that only group entries."""
    depth, start, found = 0, 0, []
    for place, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
    found.append(text[start:].strip())
    return [p for f in found for p in (parts(f[1:-1]) if f.startswith("[") else [f])]


def expressions(space, line):
    """What a line of a script assigns: (place, expression, length as it is printed)."""
    found = re.match(r"(\w+) = (.*)$", line)
    if not found or found[2].startswith("Symbol("):
        return []
    value, text = space[found[1]], found[2]
    if isinstance(value, (MatrixBase, Equality)):
        values = list(value if isinstance(value, MatrixBase) else value.args)
        texts = parts(text[text.index("(") + 1 : -1])[: len(values)]
        return [(k, e, len(t)) for k, (e, t) in enumerate(zip(values, texts))]
    return [(0, value, len(text))]


def collected(folder):
    """All long expressions: (length, name, hash, expression)."""
    found = []
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as script:
            text = script.read()
        if not any(len(line) > LINE for line in text.splitlines()):
            continue
        space = {}
        exec(compile(text, file, "exec"), space)
        for line in text.splitlines():
            for place, e, mine in expressions(space, line):
                if isinstance(e, Expr) and mine > LINE:
                    name = f"{file.removesuffix('.py')} {line.split(' = ')[0]} {place}"
                    found.append((mine, name, hashlib.sha256(str(e).encode()).hexdigest()[:16], e))
    return found


def read(table):
    """What is known: hash of the expression -> (lengths by SymPy's ways, seconds they had)."""
    known = {}
    if os.path.exists(table):
        with open(table, encoding="utf-8") as lines:
            for line in lines:
                if not line.startswith("#"):
                    _, _, *lengths, seconds, key = line.rstrip("\n").split("\t")
                    known[key] = ([None if n == "-" else int(n) for n in lengths], float(seconds))
    return known


def write(table, all_of_them, known):
    """The record; returns the names of those that are too long, and of those that SymPy does not end."""
    compared, wrong, unended, waiting, partly, rows = 0, [], [], [], 0, []
    for mine, name, key, _ in sorted(all_of_them, key=lambda found: found[1]):
        lengths, had = known.get(key, ([None] * len(WAYS), 0.0))
        ended = [n for n in lengths if n is not None]
        if not ended:
            (unended if had else waiting).append(f"{name}, {mine} characters, {had:g} s")
        elif mine > 2 * min(ended):
            wrong.append(f"{name}, {mine} characters, {min(ended)} by SymPy")
        else:
            compared += 1
        partly += 0 < len(ended) < len(lengths)
        texts = ["-" if n is None else str(n) for n in lengths]
        rows.append("\t".join([name, str(mine), *texts, f"{had:g}", key]))
    head = [
        f"# Printed expressions of more than {LINE} characters, all forms of all models, beside SymPy {sympy.__version__};",
        "# see CONTRIBUTING.md, \"Lengths of printed equations\".",
        f"# {len(rows)} expressions: {compared} at most twice as long as SymPy's, {len(wrong)} longer, "
        f"{len(unended)} that SymPy does not end, {len(waiting)} not compared yet.",
        f"# Of {partly} only some of the three ways of SymPy ended.",
        "# name, our length, trigsimp, trigsimp(expand), simplify, seconds of processor time, hash",
    ]
    with open(table + ".new", "w", encoding="utf-8") as out:
        out.write("\n".join(head + rows) + "\n")
    os.replace(table + ".new", table)
    return head[2:4], wrong, unended


def main(folder, table, seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(20_000)
    signal.signal(signal.SIGPROF, late)
    known, all_of_them, saved = read(table), collected(folder), time.monotonic()

    def order(found):
        lengths, had = known.get(found[2], ([], 0.0))
        return (any(n is not None for n in lengths), had, *found[:2])

    for _, _, key, e in sorted(all_of_them, key=order):
        lengths, had = known.get(key, ([None] * len(WAYS), 0.0))
        if None in lengths and had < seconds:
            known[key] = (ask(e, lengths, seconds), seconds)
            if time.monotonic() > saved + 20:
                write(table, all_of_them, known)
                saved = time.monotonic()
    head, wrong, unended = write(table, all_of_them, known)
    print(*head, "SymPy does not end:", *unended, sep="\n")
    if wrong:
        raise SystemExit("longer than twice SymPy's:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
