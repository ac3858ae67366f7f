"""Models and run files made of objects: bodies, points, joints and forces in Python, written as the files that the program reads.

>>> m = Model(title="pendulum", gravity=[0, 0, -9.81])
>>> length, stiffness, damping = m.scalars(length=1, stiffness=5, damping=0.2)
>>> bar = m.body("bar", mass=2, com=[length / 2, 0, 0], inertia=[0, length**2 / 6, length**2 / 6])
>>> hinge = m.point("hinge_point", at=[0, 0, 0], bodies=[m.ground, bar])
>>> axis = m.vector("axis", along=[0, 1, 0], bodies=[m.ground, bar])
>>> joint = m.joint("hinge", "revolute", bodies=[m.ground, bar], point=hinge, axis=axis)
>>> spring = m.force("spring", "torsion_spring", coordinate=joint.angle, stiffness=stiffness, damping=damping)
>>> m.start(hold={joint.angle: 0})
>>> run = Run(m)
>>> drop = run.case("drop", duration=4, step=5e-3)
>>> settle = run.objective("settle", of=joint.angle, form="integral_square", target=0.5)
>>> for variable, most in (stiffness, 100), (damping, 20):
...     _ = run.design(variable, lower=0, upper=most)
>>> with run.open() as p:
...     print(p.variables, f"{p.value():.4f}", p.check().right)
['stiffness', 'damping'] 2.0522 True

Which sections and keys there are, the library says: these classes have a method for each section, and refuse a key that is not known.
"""

from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Mapping, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _library, inifile, program
from ._library import library
from .errors import InputError, unknown
from .folder import Folder
from .kinds import Path
from .problem import Problem, Settings
from .tables import Column, samples

if TYPE_CHECKING:
    from .sections import ModelSections, RunSections  # scripts/hints
else:
    ModelSections = RunSections = object  # _add_methods() gives them to the classes

# ---- expressions ----

_BINARY = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}  # the larger binds the closer
_NEGATIVE, _ATOM = 3, 5
_UFUNCS = {
    "add": "+",
    "subtract": "-",
    "multiply": "*",
    "divide": "/",
    "true_divide": "/",
    "power": "^",
    "float_power": "^",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "absolute": "abs",
    "fabs": "abs",
    "minimum": "min",
    "maximum": "max",
}


def _number(value: Any) -> str:
    """The shortest text that is this number.

    >>> _number(np.float64(0.1)), _number(3), _number(5e-3)
    ('0.1', '3', '0.005')
    """
    return repr(int(value)) if isinstance(value, (int, np.integer)) else repr(float(value))


class Expression:
    """A formula of scalars, outputs and numbers, as model files have them; NumPy's functions apply.

    >>> a, b = Expression("a"), Expression("b")
    >>> print(2 * (a - b) ** 2 / -a, np.hypot(a, 3 - b), abs(np.sqrt(a)))
    2*(a - b)^2/(-a) hypot(a, 3 - b) abs(sqrt(a))
    """

    def __init__(self, text: str, binds: int = _ATOM):
        self._text = text
        self._binds = binds

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._text}>"

    @staticmethod
    def _of(value: Any) -> Expression:
        if isinstance(value, Expression):
            return value
        if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
            text = _number(value)
            return Expression(text, _NEGATIVE if text.startswith("-") else _ATOM)
        raise TypeError(f"{value!r} is no number and no expression")

    @staticmethod
    def _call(name: str, *operands: Any) -> Expression:
        part = [Expression._of(operand) for operand in operands]
        if name == "negative":
            inner = part[0]._text if part[0]._binds > _NEGATIVE else f"({part[0]._text})"
            return Expression(f"-{inner}", _NEGATIVE)
        if name not in _BINARY:
            return Expression(f"{name}({', '.join(one._text for one in part)})")
        binds, (left, right) = _BINARY[name], part
        before = left._text if left._binds >= binds + (name == "^") else f"({left._text})"
        after = right._text if binds < right._binds != _NEGATIVE else f"({right._text})"
        return Expression(f"{before} {name} {after}" if binds == 1 else f"{before}{name}{after}", binds)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **_: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        return Expression._call(_UFUNCS.get(ufunc.__name__, ufunc.__name__), *inputs)

    def __add__(self, other: Any) -> Expression:
        return Expression._call("+", self, other)

    def __radd__(self, other: Any) -> Expression:
        return Expression._call("+", other, self)

    def __sub__(self, other: Any) -> Expression:
        return Expression._call("-", self, other)

    def __rsub__(self, other: Any) -> Expression:
        return Expression._call("-", other, self)

    def __mul__(self, other: Any) -> Expression:
        return Expression._call("*", self, other)

    def __rmul__(self, other: Any) -> Expression:
        return Expression._call("*", other, self)

    def __truediv__(self, other: Any) -> Expression:
        return Expression._call("/", self, other)

    def __rtruediv__(self, other: Any) -> Expression:
        return Expression._call("/", other, self)

    def __pow__(self, other: Any) -> Expression:
        return Expression._call("^", self, other)

    def __rpow__(self, other: Any) -> Expression:
        return Expression._call("^", other, self)

    def __neg__(self) -> Expression:
        return Expression._call("negative", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return Expression._call("abs", self)


class Output(Expression):
    """A quantity of something in the model by its name.

    >>> tip, chassis = Output("tip"), Output("chassis")
    >>> print(tip.velocity.norm, tip.position @ chassis, (tip @ chassis).x)
    tip.velocity.norm tip.position@chassis tip@chassis.x
    """

    def __getattr__(self, name: str) -> Output:
        if name.startswith("_"):
            raise AttributeError(name)
        return Output(f"{self._text}.{name}")

    def __matmul__(self, body: Any) -> Output:
        return Output(f"{self._text}@{body}")


# ---- keys ----


@dataclass(frozen=True)
class Key:
    """A key of a section, as the tables of the library describe it."""

    name: str
    type: str
    default: Optional[str]
    """None: it must be given; "": there is none"""
    unit: str
    range: str
    doc: str


@dataclass(frozen=True)
class _Section:
    doc: str
    named: bool
    keys: dict[str, Key]


def _schema_text() -> str:
    error, text = _library.Error(), ctypes.c_void_p()
    if status := library.mbo_schema_text(b"json", ctypes.byref(text), ctypes.byref(error)):
        raise _library.failure(status, error)
    try:
        return ctypes.string_at(text.value or 0).decode()
    finally:
        library.mbo_text_free(text)


@functools.lru_cache(maxsize=None)
def _sections() -> dict[tuple[str, str, str], _Section]:
    """(file, kind, type) -> section; type "": what does not depend on it. "repetition" has the key that all named sections have."""
    found = {}
    for entry in json.loads(_schema_text()):
        head, _, kind_type = entry["section"].partition("] type = ")
        if not head.startswith("[") and head != "repetition":
            continue
        kind, _, named = head.strip("[]").partition(" ")
        keys = {
            k["key"]: Key(k["key"], k["type"], k["default"], k["unit"], k["range"], k["doc"]) for k in entry["keys"]
        }
        found[entry["file"], kind, kind_type] = _Section(entry["doc"], bool(named), keys)
    return found


def _kinds(file: str) -> dict[str, list[str]]:
    """Kinds of sections of a file, with their types."""
    kinds: dict[str, list[str]] = {}
    for of, kind, kind_type in _sections():
        if of == file and kind != "repetition":
            kinds.setdefault(kind, []).extend([kind_type] if kind_type else [])
    return kinds


def keys(kind: str, type: str = "", file: str = "model") -> dict[str, Key]:
    """The keys of a section of model files, or of run files (file="run").

    >>> keys("force", "spring")["stiffness"].unit
    'N/m'
    >>> keys("force", "sprung")
    Traceback (most recent call last):
    mbopt.errors.InputError: type of force 'sprung' is not known; is 'spring' meant?
    >>> keys("case", file="run")["duration"].doc
    'simulated time'
    """
    kinds = _kinds(file)
    if kind not in kinds:
        raise InputError(unknown(f"section of {file} files", kind, kinds))
    if kinds[kind] and type not in kinds[kind]:
        raise InputError(unknown(f"type of {kind}", type, kinds[kind]))
    section = _sections()[file, kind, type if kinds[kind] else ""]
    found = dict(section.keys)
    if section.named or kinds[kind]:
        found["repeat"] = _sections()["model", "repetition", ""].keys["repeat"]
    return found


# ---- sections ----


def _text(value: Any) -> str:
    """How files write a value.

    >>> _text([0, 0.5, Expression("a")]), _text(True), _text(Section("body", "bar", {}))
    ('0, 0.5, a', 'yes', 'bar')
    """
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, float, np.integer, np.floating)):
        return _number(value)
    if isinstance(value, Section):
        return value.name
    if isinstance(value, (str, Expression)):
        return str(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    try:
        items = list(value)
    except TypeError:
        raise InputError(f"{value!r} is no number, name, expression or list of these") from None
    return ", ".join(_text(one) for one in items)


class Section(Output):
    """Something in a model or a run file: a body, a force, a case. Its keys are its items, its outputs its attributes.

    >>> m = Model()
    >>> bar = m.body("bar", mass=2)
    >>> bar["mass"] = 3
    >>> print(bar["mass"], bar.angular_velocity.z)
    3 bar.angular_velocity.z
    >>> bar["masses"] = 3
    Traceback (most recent call last):
    mbopt.errors.InputError: [body bar]: key 'masses' is not known; is 'mass' meant?
    """

    def __init__(self, kind: str, name: str, known: Mapping[str, Key], type: str = ""):
        super().__init__(name)
        self._kind, self._type, self._known = kind, type, known
        self._values: dict[str, Any] = {}

    @property
    def name(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<mbopt section {self._head()}>"

    def _head(self) -> str:
        return f"[{self._kind} {self._text}]" if self._text else f"[{self._kind}]"

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._set({key: value})

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __hash__(self) -> int:
        return id(self)

    def _set(self, values: Mapping[str, Any]) -> None:
        """Takes keys; a dict is the value of keys with a dot: hold={joint.angle: 0} of hold.JOINT.angle."""
        taken: dict[str, Any] = {}
        for given, value in values.items():
            key = str(given).rstrip("_")  # from_, as `from` is a word of Python
            if isinstance(value, Mapping):
                taken.update({f"{key}.{one}": inner for one, inner in value.items()})
            else:
                taken[key] = _inertia(value) if key == "inertia" else value
        for key in taken:
            prefix, dot, _ = key.partition(".")
            families = [one.partition(".")[0] for one in self._known if "." in one]
            if key not in self._known and "NAME" not in self._known and not (dot and prefix in families):
                raise InputError(f"{self._head()}: {unknown('key', key, self._known)}")
        self._values.update(taken)

    def _lines(self, folder: pathlib.Path, written: dict[int, str]) -> Iterator[str]:
        yield self._head()
        if self._type:
            yield f"type = {self._type}"
        for key, value in self._values.items():
            if isinstance(value, (Model, Samples)):
                text = value._write_beside(folder, self._text, written)
            elif _is_path(key, self._known):
                text = _beside(folder, value)
            else:
                text = _text(value)
            yield from _broken(f"{key} = {_escaped(text)}")


def _is_path(key: str, known: Mapping[str, Key]) -> bool:
    """Whether the value of a key is a path from the folder of its file."""
    return key == "file" or (key in known and known[key].type == "path")


def _beside(folder: pathlib.Path, path: Path) -> str:
    """A path of this program's folder, from the folder that a file is written to."""
    return os.path.relpath(path, folder)


def _escaped(text: str) -> str:
    r"""
    >>> print(_escaped("a; b # c"))
    a\; b \# c
    """
    return " ".join(text.replace(";", r"\;").replace("#", r"\#").split("\n"))


def _broken(line: str) -> Iterator[str]:
    """A line of a file in pieces that are short enough, each with a backslash behind it but for the last."""
    most = 150 if line.isascii() else 45
    indent = ""
    while len(line) > most:
        end = most
        while end > 1 and (line[end - 1] == "\\" or line[end] == " "):
            end -= 1
        yield f"{indent}{line[:end]}\\"
        line, indent = line[end:], "  "
    yield indent + line


class Samples:
    """Times [s] and values of a measured series, which become a table beside the run file."""

    def __init__(self, t: NDArray[np.float64], values: NDArray[np.float64]):
        self.t, self.values = t, values

    def __repr__(self) -> str:
        return f"<mbopt.Samples: {len(self.t)} from {self.t[0]:g} to {self.t[-1]:g} s>"

    def _write_beside(self, folder: pathlib.Path, name: str, written: dict[int, str]) -> str:
        file = folder / f"{name}.csv"
        rows = (f"{t!r},{value!r}\n" for t, value in zip(self.t.tolist(), self.values.tolist()))
        file.write_text("t [s],value\n" + "".join(rows), encoding="utf-8")
        written[id(self)] = str(file)
        return file.name


def _inertia(value: Any) -> Any:
    """The six numbers that files have of a symmetric matrix [3][3], whose entries are numbers or expressions; other values as they are.

    >>> _inertia([[1, 0.1, 0], [0.1, 2, 0], [0, 0, 3]])
    [1, 2, 3, 0.1, 0, 0]
    >>> _inertia([[1, 0.1, 0], [0.2, 2, 0], [0, 0, 3]])
    Traceback (most recent call last):
    mbopt.errors.InputError: inertia: the entries Ixy = 0.1 and Iyx = 0.2 differ, expected a symmetric matrix
    """
    if isinstance(value, (str, Expression)) or not hasattr(value, "__len__") or not all(hasattr(row, "__len__") for row in value):
        return value
    if len(value) != 3 or any(len(row) != 3 for row in value):
        raise InputError(f"inertia: {len(value)} rows of {', '.join(str(len(row)) for row in value)} entries, expected 3 of 3")
    for i, j in (0, 1), (0, 2), (1, 2):
        one, other = _text(value[i][j]), _text(value[j][i])
        if one != other:
            names = f"I{'xyz'[i]}{'xyz'[j]}", f"I{'xyz'[j]}{'xyz'[i]}"
            raise InputError(f"inertia: the entries {names[0]} = {one} and {names[1]} = {other} differ, expected a symmetric matrix")
    return [value[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]


# ---- files ----


class _File:
    """A file that is made of sections."""

    _file = ""  # "model" or "run"

    def __init__(self) -> None:
        self._parts: list[Section] = []

    def _read(self, path: Path) -> None:
        """Adds the sections of a file, whose paths are those from the folder of this program."""
        folder = os.path.dirname(os.fspath(path))
        types = _kinds(self._file)
        for kind, name, entries in inifile.sections(path):
            kind_type = entries.pop("type", "") if types.get(kind) else ""
            known = keys(kind, kind_type, self._file)
            values = {key: os.path.join(folder, value) if _is_path(key, known) else value for key, value in entries.items()}
            if name:
                self._add(kind, name, kind_type, values)
            else:
                self._once(kind)._set(values)

    def _add(self, kind: str, name: Any, kind_type: str, values: Mapping[str, Any]) -> Section:
        section = Section(kind, _text(name), keys(kind, kind_type, self._file), kind_type)
        if any(one._kind == kind and one._text == section._text for one in self._parts):
            raise InputError(f"{section._head()} is there already")
        section._set(values)
        self._parts.append(section)
        return section

    def _once(self, kind: str) -> Section:
        """The section of a kind that has no name."""
        for one in self._parts:
            if one._kind == kind:
                return one
        return self._add(kind, "", "", {})

    def __getitem__(self, section: Union[str, tuple[str, Any]]) -> Section:
        """A section by its kind, or by kind and name.

        >>> m = Model(title="beam")
        >>> b = m.body("beam", mass=2)
        >>> print(m["model"]["title"], m["body", "beam"]["mass"])
        beam 2
        """
        kind, name = section if isinstance(section, tuple) else (section, "")
        for one in self._parts:
            if one._kind == kind and one._text == _text(name):
                return one
        raise KeyError(f"there is no [{kind}{' ' if name else ''}{_text(name)}]")

    def remove(self, kind: str, name: Any = "") -> None:
        """Takes a section out.

        >>> run = Run.read("configs/pendulum.ini")
        >>> run.remove("constraint", "tip_speed")
        >>> run.names("constraint")
        []
        """
        self._parts.remove(self[kind, name])

    def names(self, kind: str) -> list[str]:
        """The names of the sections of a kind, in their order."""
        return [one._text for one in self._parts if one._kind == kind and one._text]

    def _write(self, path: pathlib.Path, written: dict[int, str]) -> None:
        written[id(self)] = str(path)
        lines = ["schema = 1"]
        for section in self._parts:
            lines += ["", *section._lines(path.parent, written)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _method(file: str, kind: str) -> Callable[..., Any]:
    """The method that adds a section of this kind, with the text of its table."""
    types = _kinds(file)[kind]
    section = _sections().get((file, kind, ""))
    typed = bool(types) or (section is not None and "type" in section.keys)

    def add(self: _File, name: Any, **values: Any) -> Section:
        return self._add(kind, name, "", values)

    def add_typed(self: _File, name: Any, type: str, **values: Any) -> Section:
        if types:
            return self._add(kind, name, type, values)
        return self._add(kind, name, "", {"type": type, **values})

    def put(self: _File, **values: Any) -> None:
        self._once(kind)._set(values)

    named = section is None or section.named
    methods: tuple[Callable[..., Any], ...] = (put, add, add_typed)
    method = methods[1 + typed if named else 0]
    method.__name__ = kind
    method.__qualname__ = f"{'Model' if file == 'model' else 'Run'}.{kind}"
    text = [section.doc if section else f"A {kind}; mbopt.keys('{kind}', TYPE) has the keys of each type."]
    if section:
        text += ["", *(f"{k.name}: {k.doc}{f' [{k.unit}]' if k.unit else ''}" for k in section.keys.values())]
    if types:
        text += ["", *(f"type {one}: {_sections()[file, kind, one].doc}" for one in types)]
    method.__doc__ = "\n".join(text)
    return method


class Model(_File, ModelSections):
    """A model file made of objects. Arguments are the keys of its section [model]; each kind of section is a method:
    `body(NAME, KEY=VALUE, ...)`, `force(NAME, TYPE, KEY=VALUE, ...)`, `start(KEY=VALUE, ...)`. Values are numbers, names, expressions,
    what such a method has returned, or lists of these. Keys with a dot are given as dicts: `at={bar: [0, 0, 0]}` for `at.bar`; a key that
    is a word of Python takes an underscore: `from_`. help(Model.body) and keys("body") tell what there is.

    A file may be the beginning, whose sections are then as if they had been made by calls; comments are left out.

    >>> m = Model("problems/pendulum/pendulum.ini", gravity=[0, 0, -1.62])
    >>> m["scalars"]["length"] = 2
    >>> load = m.body("load", mass=1, com=[0, 0, 0], inertia=np.diag([1, 1, 1]))
    >>> print(m["model"]["title"], m["body", "bar"].name, sorted(m.names("body")))
    pendulum with a spring-damper in its hinge bar ['bar', 'load']
    """

    _file = "model"

    def __init__(self, file: Optional[Path] = None, **values: Any):
        super().__init__()
        self.ground = Section("body", "ground", {})
        self._once("model")
        if file is not None:
            self._read(file)
        self._once("model")._set(values)

    def scalars(self, **values: Any) -> Any:
        """Named numbers and formulas, which expressions use and designs vary. Returns one expression, or a list of several.

        >>> a, b = Model().scalars(a=1, b=2)
        """
        self._once("scalars")._set(values)
        named = [Expression(name) for name in values]
        return named[0] if len(named) == 1 else named

    def save(self, path: Path) -> None:
        """Writes the model file; models that are parts of it go beside it, each by the name of its part.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Model("problems/pendulum/pendulum.ini").save(f"{folder}/again.ini")
        ...     len(Model(f"{folder}/again.ini").names("force"))
        1
        """
        self._write(pathlib.Path(path).absolute(), {})

    def _write_beside(self, folder: pathlib.Path, name: str, written: dict[int, str]) -> str:
        """The name of its file in a folder, which is written once."""
        if id(self) not in written:
            self._write(folder / f"{name}.ini", written)
        return _beside(folder, written[id(self)])


class Run(_File, RunSections):
    """A run file made of objects, of a Model or of a model file. Each kind of section is a method: `case(NAME, KEY=VALUE, ...)`,
    `design(NAME, ...)`, `optimizer(KEY=VALUE, ...)`, as in Model.

    >>> run = Run("problems/pendulum/pendulum.ini")
    >>> _ = run.case("drop", duration=0.5, step=1e-2)
    >>> motion = run.open().simulate()
    >>> print(f"{motion['ground-bar.angle'][-1]:.3f}")
    1.359
    """

    _file = "run"

    def __init__(self, model: Union[Model, Path]):
        super().__init__()
        self._once("model")._set({"file": model})

    @classmethod
    def read(cls, path: Path) -> Run:
        """The sections of a run file, to be changed and extended.

        >>> run = Run.read("configs/pendulum.ini")
        >>> run["case", "drop"]["duration"] = 0.5
        >>> run.model["scalars"]["length"] = 2
        >>> f"{run.open().value():.4f}"
        '0.0544'
        """
        run = cls("")
        run._read(path)
        return run

    @property
    def model(self) -> Model:
        """The model as an object; that of a file is read at the first time, and changes of it are those of this run."""
        section = self._once("model")
        if not isinstance(section["file"], Model):
            section["file"] = Model(section["file"])
        return section["file"]

    @model.setter
    def model(self, model: Union[Model, Path]) -> None:
        self._once("model")["file"] = model

    def measurement(
        self,
        name: Any,
        data: Any = None,
        *,
        column: Column = None,
        time: Column = None,
        time_unit: Union[str, float] = "s",
        time_zero: Union[float, str, None] = None,
        separator: Optional[str] = None,
        decimal: Optional[str] = None,
        **values: Any,
    ) -> Section:
        """A measured series (section [measurement NAME]). data: a pair of arrays (times, values), an array [sample][2], a dict of columns, a DataFrame, a
        Series, or the path of a table with any separator and decimal comma; `mbopt.samples` says what its arguments mean. NaN is no sample. The other
        arguments are keys of the section; file=, in the place of data, is a table as the program reads it.

        >>> run = Run("problems/pendulum/pendulum.ini")
        >>> _ = run.case("drop", duration=0.5, step=1e-2)
        >>> _ = run.design("stiffness", lower=0, upper=100)
        >>> _ = run.measurement("seen", ([0, 100, 200, 300], [0, 0.02, np.nan, 0.19]), time_unit="ms", of="ground-bar.angle", sigma=0.01)
        >>> with run.open() as p:
        ...     print(p.residuals().shape)
        (3,)
        """
        if data is None:
            given = {"column": column, "time": time}
            return self._add("measurement", name, "", {**{key: v for key, v in given.items() if v is not None}, **values})
        try:
            taken = Samples(*samples(data, column, time, time_unit, time_zero, separator, decimal))
        except InputError as error:
            raise InputError(f"[measurement {_text(name)}]: {error}") from None
        return self._add("measurement", name, "", {"file": taken, **values})

    def save(self, path: Path) -> None:
        """Writes the run file, and its model beside it where that is made of objects: NAME_model.ini."""
        at = pathlib.Path(path).absolute()
        written: dict[int, str] = {}
        model = self["model"]["file"]
        if isinstance(model, Model):
            model._write(at.with_name(f"{at.stem}_model.ini"), written)
        self._write(at, written)

    def open(self, settings: Settings = None, threads: int = 0) -> Problem:
        """The problem, as mbopt.open opens that of a file. Its files are in a folder of their own, until the last problem of them is closed; messages name
        sections in their place."""
        folder = Folder()
        model = self["model"]["file"]
        title = model["model"]._values.get("title") if isinstance(model, Model) else None
        folder.names = {"run.ini": "run", "run_model.ini": f"model '{title}'" if title else "model"}
        path = os.path.join(folder.path, "run.ini")
        self.save(path)
        return Problem(path, settings, threads, folder)


def _add_methods() -> None:
    files: list[tuple[type[_File], tuple[str, ...]]] = [(Model, ("model", "scalars")), (Run, ("model", "measurement"))]
    for cls, own in files:
        for kind in _kinds(cls._file):
            if kind not in own:
                setattr(cls, kind, _method(cls._file, kind))


_add_methods()


def import_robot(
    file: Path, base: str = "fixed", vary: Iterable[str] = (), strict: bool = False, packages: Path | None = None
) -> Model:
    """Reads a robot, in URDF with the loops of its file or of one beside it, as a model that can be changed and run. vary: numbers that become scalars with
    the values of the file, of "lengths", "joints", "masses", "springs", "dampers", "rotors", "sizes"; base, strict: as of import_urdf; packages: a folder in which
    meshes for pictures may be, beside that of the file. InputError: the file is wrong.

    >>> arm = import_robot("problems/robot_arm/robot_arm.urdf", vary=["lengths", "masses"])
    >>> arm["scalars"]["joint_2_length"] = 0.5
    >>> print(len(arm.names("joint")), arm["body", "forearm"]["mass"])
    8 4.8*forearm_density
    """
    with tempfile.TemporaryDirectory() as folder:
        kinds = ",".join(vary)
        options = [*(["--vary", kinds] if kinds else []), *(["--strict"] if strict else []), *(["--packages", packages] if packages else [])]
        program.run("import", file, folder, "--base", base, *options)
        return Model(pathlib.Path(folder) / f"{pathlib.Path(file).stem}_model.ini")
