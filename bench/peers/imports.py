"""Every robot of some Python packages, imported, beside Pinocchio (URDF) and MuJoCo (MJCF).

    python bench/peers/imports.py DALEMBERT [WORD...]      DALEMBERT: the command; WORD: only files whose path has it

Files are those of the packages example-robot-data, dm_control and gymnasium, where installed. At a random state the
accelerations without contacts, limits, actuators and constraints are compared, relative to the largest; for URDF files
whose joints follow others, the mass matrices. Angles that the import makes right angles differ by their digits. What is
refused is told with the first line of the message. Prints a line for each file, and how many differ by more than 1e-6.
"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import numpy as np

#: Files differ by the digits of right angles: 1.5708 is off by 4e-6, 1.5707963 by 3e-8.
LARGEST = 1e-6


class Refused(Exception):
    """A message of the command."""


class Command:
    def __init__(self, program: str, folder: str) -> None:
        self.program, self.model = program, pathlib.Path(folder, "robot.dal")

    def run(self, *words: object) -> str:
        done = subprocess.run([self.program, *map(str, words)], capture_output=True, text=True, timeout=600)
        if done.returncode != 0:
            lines = [line for line in (done.stderr + done.stdout).splitlines() if "error" in line]
            raise Refused(lines[0].strip() if lines else "no message")
        return done.stdout

    def load(self, path: pathlib.Path, *options: str) -> dict:
        self.run("import", path, "-o", self.model, "--quiet", *options)
        # Sliding friction is a force of its own in the peers.
        lines = self.model.read_text(encoding="utf-8").splitlines()
        self.model.write_text("\n".join(line for line in lines if not line.startswith("friction ")), encoding="utf-8")
        return self.at({})

    def at(self, state: dict) -> dict:
        words = ", ".join(f"{name}={float(value)!r}" for name, value in state.items())
        return json.loads(self.run("evaluate", self.model, "--json", *(["--at", words] if words else [])))


def apart(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).max() / max(1.0, np.abs(b).max()))


def plain(name: str) -> str:
    return re.sub(r"\W", "_", name)


def urdf(command: Command, path: pathlib.Path, rng: np.random.Generator) -> float:
    import pinocchio as pin

    theirs = pin.buildModelFromUrdf(str(path))
    speeds = command.load(path, "--fixed-base")["speeds"]
    joints = {joint.get("name"): joint for joint in ElementTree.parse(path).getroot().findall("joint")}
    q, v, force = pin.neutral(theirs), np.zeros(theirs.nv), np.zeros(theirs.nv)
    state, ours, other = {}, [], []
    for k in range(1, theirs.njoints):
        name, joint = theirs.names[k], theirs.joints[k]
        if plain(name) + "'" not in speeds:
            raise Refused(f"`{name}` is not a joint of the model")
        x, rate = rng.uniform(-1, 1, 2)
        state[plain(name)], state[plain(name) + "'"] = x, rate
        q[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(x), np.sin(x)) if joint.nq == 2 else x
        v[joint.idx_v] = rate
        dynamics = joints[name].find("dynamics")
        if dynamics is not None:
            force[joint.idx_v] = -float(dynamics.get("damping") or 0) * rate
        ours.append(speeds.index(plain(name) + "'"))
        other.append(joint.idx_v)
    now, data = command.at(state), theirs.createData()
    if any(joint.find("mimic") is not None for joint in joints.values()):
        pin.crba(theirs, data, q)
        mass = np.triu(data.M) + np.triu(data.M, 1).T
        return apart(np.array(now["mass"])[np.ix_(ours, ours)], mass[np.ix_(other, other)])
    return apart(np.array(now["acceleration"])[ours], pin.aba(theirs, data, q, v, force)[other])


def mjcf(command: Command, path: pathlib.Path, rng: np.random.Generator) -> float:
    import mujoco

    theirs = mujoco.MjModel.from_xml_path(str(path))
    if theirs.nv == 0:
        raise Refused("nothing moves")
    speeds = command.load(path)["speeds"]
    for flag in ("CONTACT", "LIMIT", "FRICTIONLOSS"):
        theirs.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    theirs.opt.density = theirs.opt.viscosity = 0
    data = mujoco.MjData(theirs)
    state, ours, free = {}, [], []
    scalar = [name for name in speeds if name.endswith("'")]
    several = [name[:-3] for name in speeds if name.endswith(".wx")]
    for j in range(theirs.njnt):
        name = plain(mujoco.mj_id2name(theirs, mujoco.mjtObj.mjOBJ_JOINT, j) or "")
        at, to, kind = theirs.jnt_qposadr[j], theirs.jnt_dofadr[j], mujoco.mjtJoint(theirs.jnt_type[j])
        if kind in (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE):
            # Joints without a name are called by the order of the file.
            rate = scalar.pop(scalar.index(name + "'") if name + "'" in scalar else 0)
            x, v = rng.uniform(-0.7, 0.7), rng.uniform(-1, 1)
            state[rate[:-1]], state[rate] = x, v
            data.qpos[at], data.qvel[to] = theirs.qpos0[at] + x, v
            ours.append(speeds.index(rate))
            continue
        name = several.pop(several.index(name) if name in several else 0)
        quaternion, turn = rng.normal(size=4), rng.uniform(-1, 1, 3)
        quaternion /= np.linalg.norm(quaternion)
        state.update({f"{name}.e{k}": value for k, value in enumerate(quaternion)})
        state.update({f"{name}.w{axis}": value for axis, value in zip("xyz", turn)})
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            # The velocity of a free body is in space there and in the body here.
            axes = np.zeros(9)
            mujoco.mju_quat2Mat(axes, quaternion)
            axes = axes.reshape(3, 3)
            x, v = rng.uniform(-1, 1, (2, 3))
            state.update({f"{name}.{axis}": value for axis, value in zip("xyz", x)})
            state.update({f"{name}.v{axis}": value for axis, value in zip("xyz", axes.T @ v)})
            data.qpos[at : at + 3], data.qvel[to : to + 3] = x, v
            ours += [speeds.index(f"{name}.v{axis}") for axis in "xyz"]
            free.append((to, axes, turn, axes.T @ v))
            at, to = at + 3, to + 3
        data.qpos[at : at + 4], data.qvel[to : to + 3] = quaternion, turn
        ours += [speeds.index(f"{name}.w{axis}") for axis in "xyz"]
    now = command.at(state)
    found = np.linalg.solve(np.array(now["mass"]), np.array(now["impressed"]))[ours]
    for to, axes, turn, v in free:
        found[to : to + 3] = axes @ (found[to : to + 3] + np.cross(turn, v))
    mujoco.mj_forward(theirs, data)
    return apart(found, data.qacc_smooth)


def files(words: list) -> list:
    found = []
    for package, kind in (("pinocchio", "urdf"), ("dm_control", "xml"), ("gymnasium", "xml")):
        try:
            module = __import__(package)
        except ImportError:
            print(f"left out, for want of it: {package}", file=sys.stderr)
            continue
        root = pathlib.Path(module.__file__).resolve().parents[4 if kind == "urdf" else 0]
        found += sorted(path for path in root.rglob(f"*.{kind}") if "mujoco/testdata" not in str(path))
    return [path for path in found if all(word in str(path) for word in words)]


def main() -> int:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    rng, worst, alike = np.random.default_rng(5), [], 0
    with tempfile.TemporaryDirectory() as folder:
        command = Command(sys.argv[1], folder)
        for path in files(sys.argv[2:]):
            name = "/".join(path.parts[-2:])
            try:
                off = (urdf if path.suffix == ".urdf" else mjcf)(command, path, rng)
            except Refused as said:
                print(f"{name:48} {said}")
                continue
            except Exception as theirs:  # A file that the peer does not read.
                print(f"{name:48} the peer: {str(theirs).splitlines()[0][:100]}")
                continue
            print(f"{name:48} {off:.1e}", flush=True)
            (alike, worst) = (alike + 1, worst) if off <= LARGEST else (alike, [*worst, name])
    print(f"{alike} agree, {len(worst)} do not: {', '.join(worst) or 'none'}")
    return 1 if worst else 0


if __name__ == "__main__":
    sys.exit(main())
