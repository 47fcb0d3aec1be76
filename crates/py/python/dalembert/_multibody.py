"""The statements about bodies and joints, for :class:`Builder`. Each gives the object that it declares."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._bodies import Body, Element, Frame, Ground, Joined, Joint, Place, Shape, Vector, vector
from ._errors import RequestError
from ._words import Expression, expression, line, name

KINDS = ("pin", "slider", "screw", "cylindrical", "universal", "ball", "planar", "free", "weld", "rod")


class Multibody:
    """The part of :class:`Builder` that states bodies, joints and force elements."""

    #: What does not move.
    ground = Ground()

    def statement(self, text: str) -> Any:
        raise NotImplementedError

    def gravity(self, *components: Vector) -> Any:
        """Gravity on every body; two components make a plane model. Gives the builder.

        Parameters
        ----------
        *components : components, or one vector
            ``gravity(0, "-g")``.
        """
        return self.statement(f"gravity {vector(components)}")

    def body(
        self,
        label: str,
        shape: Optional[Shape] = None,
        *,
        mass: Expression = None,
        centre: Vector = None,
        inertia: Expression = None,
        about_origin: bool = False,
    ) -> Body:
        """A rigid body from a shape, or from its mass, centre and inertia.

        Parameters
        ----------
        label : str
            Its name.
        shape : Shape, optional
            ``rod(m, [0, 0], [0, "-l"])``, a sum of shapes, ...
        mass : float or str, optional
        centre : vector, optional
            The centre of mass in body axes; the origin if left out.
        inertia : float, vector or matrix, optional
            About the centre: a number in the plane, three principal values, or a matrix. Without it the body is a particle.
        about_origin : bool
            Whether the inertia is about the origin of the body.
        """
        if (shape is None) == (mass is None):
            raise RequestError("body: give a shape, or a mass with centre and inertia")
        if shape is not None:
            if not isinstance(shape, Shape) or centre is not None or inertia is not None:
                raise RequestError("body: a shape, as in rod(m, P, Q), has its own centre and inertia")
            parts = [shape.text]
        else:
            parts = [f"mass {expression(mass)}"]
            parts += [] if centre is None else [f"centre {expression(centre)}"]
            about = " about origin" if about_origin else ""
            parts += [] if inertia is None else [f"inertia {expression(inertia)}{about}"]
        self.statement(f"body {name(label)}: " + ", ".join(parts))
        return Body(name(label))

    def frame(self, label: str, body: Joined, at: Vector = None, turned: Expression = None) -> Frame:
        """A frame that is fixed in a body.

        Parameters
        ----------
        label : str
            Its name.
        body : Body, Frame, Place or str
            What it is fixed in.
        at : vector, optional
            Its origin, in the axes of the body.
        turned : str, optional
            ``"rpy(a, b, c)"``, ``"axis [0, 1, 0] by pi/2"``, ``"quaternion(e0, e1, e2, e3)"`` or a matrix.
        """
        if isinstance(body, Place):
            place = body
        else:
            place = Place(_name(body), None if at is None else expression(at), None if turned is None else expression(turned))
        self.statement(f"frame {name(label)}: {place.text}")
        return Frame(name(label))

    def joint(
        self,
        label: str,
        kind: str,
        first: Joined,
        second: Joined,
        *,
        axis: Vector = None,
        axes: Optional[Sequence[Vector]] = None,
        pitch: Expression = None,
        length: Expression = None,
        limits: Optional[tuple[Expression, Expression]] = None,
        armature: Expression = None,
        cut: bool = False,
    ) -> Joint:
        """A joint between two bodies, or the ground and a body.

        Parameters
        ----------
        label : str
            Its name, which is also that of its coordinate.
        kind : str
            ``pin``, ``slider``, ``screw``, ``cylindrical``, ``universal``, ``ball``, ``planar``, ``free``, ``weld`` or ``rod``.
        first, second : Body, Frame, Ground, Place or str
            What is joined: ``upper``, or ``upper.at(0, "-l")``.
        axis : vector, optional
            In the joint frame; z if left out, x for a slider in the plane.
        axes : pair of vectors, optional
            Of a universal joint: on the first and on the second body.
        pitch, length : float or str, optional
            Of a screw: the advance in a turn; of a rod: its length.
        limits : (low, high), optional
            Bounds of the coordinate.
        armature : float or str, optional
            Inertia of a drive.
        cut : bool
            Whether a loop is cut here.
        """
        word = name(kind)
        if word not in KINDS:
            raise RequestError(f"there is no joint {kind!r}; known: {', '.join(KINDS)}")
        word += "" if pitch is None else f" pitch ({expression(pitch)})"
        word += "" if length is None else f" length ({expression(length)})"
        parts = [f"joint {name(label)}: {word} {_place(first)} to {_place(second)}"]
        parts += [] if axis is None else [f"axis {expression(axis)}"]
        parts += [] if axes is None else ["axes " + ", ".join(expression(one) for one in axes)]
        parts += [] if limits is None else [f"limits {expression(limits[0])}..{expression(limits[1])}"]
        parts += [] if armature is None else [f"armature {expression(armature)}"]
        parts += ["cut"] if cut else []
        self.statement(", ".join(parts))
        return Joint(name(label))

    def pin(self, label: str, first: Joined, second: Joined, **options: Any) -> Joint:
        """A pin joint: one turn about an axis.

        Parameters
        ----------
        label, first, second, **options
            As for :meth:`joint`.
        """
        return self.joint(label, "pin", first, second, **options)

    def slider(self, label: str, first: Joined, second: Joined, **options: Any) -> Joint:
        """A slider: one displacement along an axis.

        Parameters
        ----------
        label, first, second, **options
            As for :meth:`joint`.
        """
        return self.joint(label, "slider", first, second, **options)

    def weld(self, label: str, first: Joined, second: Joined, **options: Any) -> Joint:
        """A rigid connection.

        Parameters
        ----------
        label, first, second, **options
            As for :meth:`joint`.
        """
        return self.joint(label, "weld", first, second, **options)

    def spring(
        self,
        label: str,
        stiffness: Expression,
        first: Any = None,
        second: Any = None,
        *,
        length: Expression = None,
        at: Any = None,
        angle: Expression = None,
    ) -> Element:
        """A spring between two points, or at a joint.

        Parameters
        ----------
        label : str
            Its name.
        stiffness : float or str
        first, second : Point, Body, Frame or str, optional
            Its ends.
        length : float or str, optional
            Its unstretched length.
        at : Joint or str, optional
            The joint that it acts on, in the place of two ends.
        angle : float or str, optional
            The coordinate of the joint at which it is relaxed.
        """
        text = f"spring {name(label)}: {_inside(stiffness)}"
        if at is not None:
            text += "" if angle is None else f" angle {_inside(angle)}"
        else:
            text += "" if length is None else f" length {_inside(length)}"
        return self._element(label, text, first, second, at)

    def damper(
        self, label: str, coefficient: Expression, first: Any = None, second: Any = None, *, at: Any = None
    ) -> Element:
        """A linear damper between two points, or at a joint.

        Parameters
        ----------
        label : str
            Its name.
        coefficient : float or str
        first, second : Point, Body, Frame or str, optional
            Its ends.
        at : Joint or str, optional
            The joint that it acts on, in the place of two ends.
        """
        return self._element(label, f"damper {name(label)}: {_inside(coefficient)}", first, second, at)

    def bushing(self, label: str, stiffness: Vector, damping: Vector, first: Any, second: Any) -> Element:
        """Stiffness and damping between two frames, in the axes of the first.

        Parameters
        ----------
        label : str
            Its name.
        stiffness, damping : vector
            A value for each axis, and further ones for turns.
        first, second : Body, Frame or str
        """
        text = f"bushing {name(label)}: {expression(stiffness)}, {expression(damping)}"
        return self._element(label, text, first, second, None)

    def torque(self, value: Expression, on: Joined, reaction: Optional[Joined] = None) -> Any:
        """A torque on a body, and its opposite on another one or on the ground. Gives the builder.

        Parameters
        ----------
        value : float, str or vector
            A number in the plane.
        on : Body or str
        reaction : Body or str, optional
            The body that the opposite acts on.
        """
        source = "" if reaction is None else f" from {_name(reaction)}"
        return self.statement(f"torque {expression(value)} on {_name(on)}{source}")

    def _element(self, label: str, text: str, first: Any, second: Any, at: Any) -> Element:
        if (at is None) == (first is None or second is None):
            raise RequestError(f"{name(label)}: give two ends, or `at` a joint")
        text += f" at {_name(at)}" if at is not None else f" between {_end(first)} and {_end(second)}"
        self.statement(text)
        return Element(name(label))


def _name(joined: Any) -> str:
    """The name of a body, frame or joint."""
    own = getattr(joined, "name", None)
    return name(own if isinstance(own, str) else joined)


def _place(joined: Joined) -> str:
    """A body, or a place on it."""
    if isinstance(joined, Place):
        return joined.text
    return line(joined, "a place on a body") if isinstance(joined, str) else _name(joined)


def _end(end: Any) -> str:
    """A point, or a body or frame by its name."""
    return end.name if isinstance(end, (Frame, Ground)) else expression(end)


def _inside(value: Expression) -> str:
    """A value that is followed by a word."""
    text = expression(value)
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"
