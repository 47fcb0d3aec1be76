"""Bodies, frames, points and joints as objects: what :class:`Builder` gives for the statements that declare them."""

from __future__ import annotations

from typing import Any, Optional, Union

from ._errors import RequestError
from ._terms import Term
from ._words import Expression, expression

#: A vector: ``[0, "-l"]``, text, a SymPy matrix.
Vector = Expression


def vector(parts: tuple[Any, ...]) -> str:
    """A vector from its components, or from one vector."""
    if len(parts) == 1 and not isinstance(parts[0], (int, float)):
        return expression(parts[0])
    return expression(list(parts))


class Point(Term):
    """A point in space: an expression of the model, and a place for springs and forces."""

    @property
    def velocity(self) -> Term:
        """Its velocity in space."""
        return self.rate


class Place:
    """Where a joint is on a body: a position and perhaps a turned frame, in body axes.

    Parameters
    ----------
    body : str
        The body or frame.
    at : str, optional
        The position.
    turned : str, optional
        The turn of the joint frame.
    """

    def __init__(self, body: str, at: Optional[str] = None, turned: Optional[str] = None) -> None:
        self.text = body + ("" if at is None else f" at {at}") + ("" if turned is None else f" turned {turned}")

    def __repr__(self) -> str:
        return f"<Place {self.text}>"


class _Held:
    """What points and directions are fixed in: the ground, a body or a frame."""

    def __init__(self, name: str) -> None:
        self.name = name

    def at(self, *position: Vector, turned: Expression = None) -> Place:
        """A place on it for a joint or a frame.

        Parameters
        ----------
        *position : components, or one vector
            In its axes.
        turned : str, optional
            The turn of the joint frame: ``"rpy(a, b, c)"``, ``"axis [0, 1, 0] by pi/2"``, ``"quaternion(e0, e1, e2, e3)"``.
        """
        at = vector(position) if position else None
        return Place(self.name, at, None if turned is None else expression(turned))

    def point(self, *position: Vector) -> Point:
        """The point in space of a position that is fixed in it.

        Parameters
        ----------
        *position : components, or one vector
            In its axes.
        """
        return Point(f"{vector(position)} of {self.name}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class Ground(_Held):
    """What does not move."""

    def __init__(self) -> None:
        super().__init__("ground")


class Frame(_Held):
    """A frame that is fixed in a body: an origin and axes.

    Parameters
    ----------
    name : str
        As the model calls it.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)

    def _expression_(self) -> str:
        return f"{self.name}.origin"

    def direction(self, *direction: Vector) -> Term:
        """The direction in space of one that is fixed in it.

        Parameters
        ----------
        *direction : components, or one vector
            In its axes.
        """
        return Term(f"{vector(direction)} in {self.name}")

    @property
    def origin(self) -> Point:
        """Its origin in space."""
        return Point(f"{self.name}.origin", True)

    @property
    def omega(self) -> Term:
        """Its angular velocity in space; a number in the plane."""
        return Term(f"{self.name}.omega", True)

    @property
    def axes(self) -> Term:
        """Its axes in space, as the columns of a matrix."""
        return Term(f"{self.name}.axes", True)


class Body(Frame):
    """A rigid body, with a frame of its own.

    Parameters
    ----------
    name : str
        As the model calls it.
    """

    @property
    def centre(self) -> Point:
        """Its centre of mass in space."""
        return Point(f"{self.name}.centre", True)

    @property
    def mass(self) -> Term:
        """Its mass."""
        return Term(f"{self.name}.mass", True)

    @property
    def kinetic_energy(self) -> Term:
        """Its kinetic energy."""
        return Term(f"kinetic_energy({self.name})", True)


class Joint(Term):
    """A joint. As an expression it is its coordinate: ``joint.rate`` is the speed, ``joint["turn"]`` one of several.

    Parameters
    ----------
    name : str
        As the model calls it.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name, True)

    @property
    def name(self) -> str:
        """As the model calls it."""
        return self.text

    def __getitem__(self, coordinate: str) -> Term:
        if not isinstance(coordinate, str) or not coordinate.isidentifier():
            raise RequestError(f"{coordinate!r}: give the name of a coordinate of the joint, as in joint['turn']")
        return Term(f"{self.text}.{coordinate}", True)

    @property
    def force(self) -> Term:
        """The force that its bearings exert on the second body, in space."""
        return Term(f"force({self.text})", True)

    @property
    def torque(self) -> Term:
        """The torque that its bearings exert on the second body, in space."""
        return Term(f"torque({self.text})", True)

    @property
    def drive(self) -> Term:
        """The generalised force of motors, control, springs and dampers at its coordinate."""
        return Term(f"drive({self.text})", True)


class Element:
    """A spring, a damper or a bushing.

    Parameters
    ----------
    name : str
        As the model calls it.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def force(self) -> Term:
        """The pull of a spring or damper, positive if it pulls together; of a bushing the vector on its second body."""
        return Term(f"force({self.name})", True)

    @property
    def torque(self) -> Term:
        """The torque of a bushing on its second body."""
        return Term(f"torque({self.name})", True)

    def __repr__(self) -> str:
        return f"<Element {self.name}>"


#: What a joint joins: a body, a frame, the ground, a place on one of them, or a name.
Joined = Union[str, Ground, Frame, Place]


class Shape:
    """A mass distribution; ``+`` joins parts.

    Parameters
    ----------
    text : str
        As the model writes it.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def __add__(self, other: Shape) -> Shape:
        return Shape(f"{self.text} + {other.text}")

    def at(self, *position: Vector) -> Shape:
        """The shape, moved.

        Parameters
        ----------
        *position : components, or one vector
            In the axes of the body.
        """
        return Shape(f"{self.text} at {vector(position)}")

    def __repr__(self) -> str:
        return f"<Shape {self.text}>"


def _factor(value: Expression) -> str:
    """A value that is followed by a word: a sum is put in parentheses."""
    text = expression(value)
    plain = text.replace(".", "").replace("_", "").replace("*", "").replace("/", "").isalnum()
    return text if plain or text.startswith("[") else f"({text})"


def rod(mass: Expression, start: Vector, end: Vector) -> Shape:
    """A thin uniform rod.

    Parameters
    ----------
    mass : float or str
    start, end : vector
        Its ends, in body axes.
    """
    return Shape(f"rod {_factor(mass)} from {expression(start)} to {expression(end)}")


def cylinder(mass: Expression, radius: Expression, start: Vector, end: Vector) -> Shape:
    """A solid cylinder.

    Parameters
    ----------
    mass, radius : float or str
    start, end : vector
        The centres of its ends, in body axes.
    """
    return Shape(f"cylinder {_factor(mass)} radius {_factor(radius)} from {expression(start)} to {expression(end)}")


def ball(mass: Expression, radius: Expression) -> Shape:
    """A solid ball.

    Parameters
    ----------
    mass, radius : float or str
    """
    return Shape(f"ball {_factor(mass)} radius {_factor(radius)}")


def shell(mass: Expression, radius: Expression) -> Shape:
    """A thin hollow ball.

    Parameters
    ----------
    mass, radius : float or str
    """
    return Shape(f"shell {_factor(mass)} radius {_factor(radius)}")


def disk(mass: Expression, radius: Expression, axis: Vector = None) -> Shape:
    """A thin disk.

    Parameters
    ----------
    mass, radius : float or str
    axis : vector, optional
        Its axis; z if left out.
    """
    return Shape(f"disk {_factor(mass)} radius {_factor(radius)}" + _axis(axis))


def hoop(mass: Expression, radius: Expression, axis: Vector = None) -> Shape:
    """A thin hoop.

    Parameters
    ----------
    mass, radius : float or str
    axis : vector, optional
        Its axis; z if left out.
    """
    return Shape(f"hoop {_factor(mass)} radius {_factor(radius)}" + _axis(axis))


def box(mass: Expression, size: Vector) -> Shape:
    """A solid box.

    Parameters
    ----------
    mass : float or str
    size : vector
        Its edges; two in the plane.
    """
    return Shape(f"box {_factor(mass)} size {expression(size)}")


def particle(mass: Expression, *position: Vector) -> Shape:
    """A point mass.

    Parameters
    ----------
    mass : float or str
    *position : components, or one vector
        In the axes of the body.
    """
    return Shape(f"point {_factor(mass)} at {vector(position)}")


def _axis(axis: Vector) -> str:
    return "" if axis is None else f" axis {expression(axis)}"
