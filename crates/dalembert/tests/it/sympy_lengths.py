"""Lengths of printed expressions beside those of SymPy.

Usage: sympy_lengths.py FOLDER TABLE SECONDS

FOLDER has one script for each model and form, as `derive --format python` writes it. Every expression of more than a
line is given to SymPy's `trigsimp` (as it is, and multiplied out) and `simplify`, SECONDS of processor time for all of
them together. TABLE
keeps what was found, one line for each expression: a run that was ended goes on where it was, and an expression that is
there is not given to SymPy again. Short expressions come first. The exit code is 1 where one of ours is more than twice as
long as the shortest of SymPy's.
"""

import hashlib
import os
import re
import resource
import signal
import sys
import time

from sympy import Equality, Expr, MatrixBase, expand, simplify, trigsimp

LINE = 100  # characters; what is shorter is not measured
MEMORY = 3 << 30  # bytes


class Late(BaseException):
    """Not an Exception: SymPy catches those."""


def late(*_):
    raise Late


def in_time(seconds, how, e):
    """The length of what a function of SymPy makes of an expression; None where it does not end."""
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        return len(str(how(e)))
    except (Late, MemoryError, RecursionError):
        return None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def shortest(e, seconds):
    """The length of SymPy's shortest; a third of the time for each way, and what one leaves for the next."""
    ways = (trigsimp, lambda e: trigsimp(expand(e)), simplify)
    end = time.process_time() + seconds
    found = []
    for k, how in enumerate(ways):
        n = in_time(max((end - time.process_time()) / (len(ways) - k), 0.01), how, e)
        found += [] if n is None else [n]
    return min(found, default=None)


def expressions(space, line):
    """What a line of a script assigns, with its length as it is printed."""
    found = re.match(r"(\w+) = (.*)$", line)
    if not found or found[2].startswith("Symbol("):
        return []
    value = space[found[1]]
    if isinstance(value, MatrixBase):
        return [(e, len(str(e))) for e in value]
    if isinstance(value, Equality):
        return [(e, len(str(e))) for e in value.args]
    return [(value, len(found[2]))]


def collected(folder):
    """All long expressions, each once: (length, name, expression), the short ones first."""
    seen = {}
    for file in sorted(os.listdir(folder)):
        with open(os.path.join(folder, file), encoding="utf-8") as script:
            text = script.read()
        space = {}
        exec(compile(text, file, "exec"), space)
        for line in text.splitlines():
            for e, mine in expressions(space, line):
                if isinstance(e, Expr) and mine > LINE and e not in seen:
                    name = f"{file.removesuffix('.py')} {line.split(' = ')[0]}"
                    seen[e] = (mine, name, e)
    return sorted(seen.values(), key=lambda found: found[:2])


def read(table):
    """What is known: key of the expression -> (length by SymPy or None, seconds it had)."""
    known = {}
    if os.path.exists(table):
        with open(table, encoding="utf-8") as lines:
            for line in lines:
                key, _, theirs, seconds, *_ = line.rstrip("\n").split("\t")
                known[key] = (int(theirs) if theirs != "-" else None, float(seconds))
    return known


def main(folder, table, seconds):
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.setrecursionlimit(20_000)
    signal.signal(signal.SIGPROF, late)
    known, wrong, unended = read(table), [], []
    all_of_them = collected(folder)
    with open(table, "a", encoding="utf-8") as out:
        for mine, name, e in all_of_them:
            key = hashlib.sha256(str(e).encode()).hexdigest()[:16]
            theirs, had = known.get(key, (None, 0.0))
            if theirs is None and had < seconds:
                theirs, had = shortest(e, seconds), seconds
                known[key] = (theirs, had)
                out.write(f"{key}\t{mine}\t{theirs or '-'}\t{had:g}\t{name}\n")
                out.flush()
            if theirs is None:
                unended.append(f"{name}, {mine} characters")
            elif mine > 2 * theirs:
                wrong.append(f"{name}, {mine} characters, {theirs} by SymPy")
    print(f"{len(all_of_them)} expressions; SymPy does not end in {seconds:g} s:", *unended, sep="\n")
    if wrong:
        raise SystemExit("longer than twice SymPy's:\n" + "\n".join(wrong))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
