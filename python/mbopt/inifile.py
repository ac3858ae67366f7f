"""Files of sections with keys, as the program reads them."""

from __future__ import annotations

import os
import re

from .errors import InputError
from .kinds import Path

_COMMENT = re.compile(r"(^|\s)[;#].*")


def sections(path: Path) -> list[tuple[str, str, dict[str, str]]]:
    r"""Sections of a file in their order: (kind, name, {key: value}).

    >>> [(kind, name, len(keys)) for kind, name, keys in sections("configs/pendulum.ini")][:3]
    [('model', '', 1), ('design', 'stiffness', 2), ('design', 'damping', 2)]
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".ini") as file:
    ...     _ = file.write("schema = 1\n[body b] ; one\ncom = 1,\n   2, 3 # m\ntitle = a\\; b\\\n  c\n")
    ...     file.flush()
    ...     sections(file.name)
    [('body', 'b', {'com': '1, 2, 3', 'title': 'a; bc'})]
    """
    found: list[tuple[str, str, dict[str, str]]] = []
    key = None
    with open(path, encoding="utf-8") as file:
        for number, raw in enumerate(file, 1):
            line = _COMMENT.sub("", raw).strip()
            values = found[-1][2] if found else {}
            broken = key is not None and values[key].endswith("\\")
            if key is not None and raw[:1].isspace() and line and (broken or (line[0] != "[" and "=" not in line)):
                values[key] = values[key][:-1] + line if broken else f"{values[key]} {line}"
            elif line.startswith("["):
                kind, _, name = line.strip("[]").partition(" ")
                found.append((kind, name.strip(), {}))
                key = None
            elif line and found:
                key, equals, value = (part.strip() for part in line.partition("="))
                if not equals:
                    raise InputError(f"{os.fspath(path)}:{number}: '{line}' is neither a [section] nor key = value")
                values[key] = value
    return [(kind, name, {key: re.sub(r"\\([;#])", r"\1", value) for key, value in keys.items()}) for kind, name, keys in found]
