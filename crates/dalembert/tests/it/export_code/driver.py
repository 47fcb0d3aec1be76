

if __name__ == "__main__":
    import sys

    for line in sys.stdin:
        state = [float(word) for word in line.split()]
        r = evaluate(state[0], state[1:1 + NX], state[1 + NX:])
        keys = ["x_dot", "eta_dot", "ideal", "nonideal", "control", "lambda", "u"]
        print(r["code"], r["rank"], *[repr(v) for key in keys for v in r[key]])
