"""The program `mbopt` for what it does beyond a handle of the library: pages, descriptions, studies in processes, imports. `run` calls any of its commands."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import webbrowser
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional

import numpy as np

from . import html
from ._library import library
from .errors import Error, InputError, SimulationError
from .folder import Folder
from .kinds import Path
from .motion import Motion
from .study import Study


allowed = {"--allow-plugins": False, "--allow-commands": False}  # by mbopt.allow_plugins, mbopt.allow_commands
_USABLE = (0, 6, 7, 8, 11, 12)  # ends with a result: a check that failed, a limit, infeasible, an optimizer that failed
_FAILURES: dict[int, type[BaseException]] = {
    2: InputError,
    3: InputError,
    4: SimulationError,
    5: SimulationError,
    10: MemoryError,
    75: KeyboardInterrupt,
}


@dataclass(frozen=True, repr=False)
class Page:
    """A page of HTML in one file, which needs no network. Notebooks show it; `save` writes it, `show` opens it in a browser."""

    html: str

    def __repr__(self) -> str:
        return f"<mbopt.Page: {len(self.html)} characters>"

    def _repr_html_(self) -> str:
        return html.frame(self.html)

    def save(self, path: Path) -> None:
        """Writes the page."""
        pathlib.Path(path).write_text(self.html, encoding="utf-8")

    def show(self) -> None:
        """Opens the page in a browser, from a file that stays in the folder of temporary files."""
        with tempfile.NamedTemporaryFile("w", suffix=".html", encoding="utf-8", delete=False) as file:
            file.write(self.html)
        webbrowser.open(pathlib.Path(file.name).as_uri())


# ---- the program ----


def _candidates() -> Iterator[pathlib.Path]:
    """Where the program may be: MBOPT_PROGRAM, in the package, beside the library, in the tree that both are installed in, in PATH."""
    if named := os.environ.get("MBOPT_PROGRAM"):
        yield pathlib.Path(named)
        return
    package = pathlib.Path(__file__).resolve().parent
    yield package / "bin/mbopt"
    yield pathlib.Path(library._name).resolve().parent / "mbopt"
    yield package.parents[3] / "bin/mbopt"  # PREFIX/lib/python3/dist-packages/mbopt
    if found := shutil.which("mbopt"):
        yield pathlib.Path(found)


def path() -> str:
    """The file of the program.

    >>> os.path.basename(path())
    'mbopt'
    """
    tried = list(_candidates())
    for one in tried:
        if one.is_file() and os.access(one, os.X_OK):
            return str(one)
    places = ", ".join(map(str, tried))
    raise FileNotFoundError(f"the program mbopt is not found; install it or set MBOPT_PROGRAM. Tried {places}")


def run(*words: Any) -> str:
    """Calls the program with these words, and returns what it prints: every command of `mbopt --help`.

    >>> print(run("--version").split()[0])
    mbopt
    >>> json.loads(run("linearize", "configs/pendulum.ini", "--json", "--quiet"))[0]["case"]
    'drop'
    >>> run("simulate", "configs/no_such_file.ini")
    Traceback (most recent call last):
    mbopt.errors.InputError: configs/no_such_file.ini: No such file or directory
    """
    command = [path(), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode in _USABLE:
        return done.stdout
    said = done.stderr.strip() or f"`{' '.join(command)}` ended with code {done.returncode}"
    raise _FAILURES.get(done.returncode, Error)(said.removeprefix("mbopt: error: ").removeprefix("mbopt: "))


@dataclass(frozen=True)
class Source:
    """What the program is told of a problem: a run file, settings, and the folder of files of objects."""

    path: str
    settings: tuple[str, ...]
    folder: Optional[Folder] = None

    def called(self, command: str, *words: Any) -> str:
        """What a command about the run file prints."""
        options = [word for text in self.settings for word in ("--set", text)]
        takes = {"--allow-plugins": True, "--allow-commands": command in ("optimize", "multistart", "pareto", "compare")}
        flags = [flag for flag, on in allowed.items() if on and takes[flag]]
        try:
            return run(command, self.path, *words, *options, *flags)
        except Error as error:
            if not self.folder:
                raise
            raise type(error)(self.folder.named(str(error).encode()).decode()) from None


# ---- commands ----


def described(source: Source, format: str) -> Any:
    """Problem.model"""
    if format == "json":
        return json.loads(source.called("model", "--json", "--quiet"))
    return source.called("model", "--format", format, "--quiet")


def page(folder: Path, runs: str = "") -> Page:
    """The page of a folder of results of the program, of a run or of a study. runs: "all", "none" or "3,7", the runs of a study with pages of their own beside
    it. OSError, mbopt.InputError: there are no results in it.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run("simulate", "configs/pendulum.ini", "--quiet", "--set", "case.drop.duration=0.1", "--output", folder)
    ...     page(folder).html[:15]
    '<!DOCTYPE html>'
    """
    with tempfile.TemporaryDirectory(prefix="mbopt-") as temporary:
        file = pathlib.Path(temporary) / "report.html"
        run("report", folder, "--output", file, *(["--runs", runs] if runs else []))
        return Page(file.read_text(encoding="utf-8"))


def report(source: Source, task: str, to: Optional[Path] = None) -> Page:
    """Problem.report"""
    with tempfile.TemporaryDirectory(prefix="mbopt-") as folder:
        source.called(task, "--output", folder, "--quiet")
        made = page(folder)
    if to is not None:
        made.save(to)
    return made


def study(source: Source, command: str, options: Mapping[str, Any], folder: Optional[Path]) -> Study:
    """Problem.multistart, Problem.pareto, Problem.compare"""
    words = [word for option, value in options.items() if value is not None for word in (option, value)]
    with tempfile.TemporaryDirectory(prefix="mbopt-") as temporary:
        at = folder if folder is not None else pathlib.Path(temporary) / "study"
        source.called(command, "--output", at, "--quiet", *words)
        return Study.read(at)


def sensitivities(source: Source, case: str, design: Mapping[str, float]) -> Motion:
    """Problem.sensitivities"""
    with tempfile.TemporaryDirectory(prefix="mbopt-") as folder:
        source.called("gradient", "--over-time", "--output", folder, "--quiet", "--set", "output.every=1")
        files = [pathlib.Path(folder) / name for name in (f"sensitivities_{case}.csv", "sensitivities.csv")]
        found = next((file for file in files if file.exists()), None)
        if found is None:
            raise InputError(f"{source.path}: case '{case}' has no derivatives over time")
        with open(found, newline="", encoding="utf-8") as table:
            heads, *rows = csv.reader(table)
    names, units = [], []
    for head in heads:
        name, _, unit = head.partition(" [")
        names.append(name)
        units.append(unit.rstrip("]"))
    return Motion(np.array(rows, dtype=float), names, units, case, design)


def import_urdf(file: Path, folder: Optional[Path] = None, base: str = "fixed", strict: bool = False) -> pathlib.Path:
    """Converts a robot in URDF, in MJCF of MuJoCo or in SDFormat to a model file and a run file in a folder (None: that of the file's name in the working directory), as `mbopt import` does.
    Returns the path of the run file, for mbopt.open. base: "fixed" or "floating"; strict: warnings of the file are errors. InputError: the file is wrong.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     import_urdf("problems/robot_arm/robot_arm.urdf", folder).name
    'robot_arm.ini'
    """
    words = [file] if folder is None else [file, folder]
    run("import", *words, "--base", base, *(["--strict"] if strict else []))
    return pathlib.Path(folder or pathlib.Path(file).stem) / f"{pathlib.Path(file).stem}.ini"


def new(name: str, folder: Optional[Path] = None) -> pathlib.Path:
    """Writes an example to begin with, a model file and a run file with comments, as `mbopt new` does. Returns the path of the run file. InputError: the
    name is not known; `run("new")` tells all.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new("servo", folder).name
    'servo.ini'
    """
    run("new", name, *([] if folder is None else [folder]))
    return pathlib.Path(folder or name) / f"{name}.ini"
