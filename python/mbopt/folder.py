"""Folders of files that problems of objects have."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import tempfile
import weakref
from typing import Any


class Folder:
    """A folder that is removed with the last problem of its files. A copy has files of its own."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="mbopt-")
        self.names: dict[str, str] = {}
        """What messages call a file, by its name: "model 'pendulum'"."""
        weakref.finalize(self, _remove, self.path, os.getpid())

    def __reduce__(self) -> Any:
        files = {file.name: file.read_bytes() for file in pathlib.Path(self.path).iterdir() if file.is_file()}
        return _filled, (files, self.names)

    def named(self, text: bytes) -> bytes:
        """A message about an object, and not about a line of a file that nobody has written: "FOLDER/run_model.ini:7: [body bar] mass" becomes "model: [body
        bar] mass"."""
        place = re.compile(re.escape(os.fsencode(self.path + os.sep)) + rb"([^\s:,']+?\.(?:ini|csv))(?::\d+)?")
        return place.sub(lambda found: self.names.get(os.fsdecode(found[1]), os.fsdecode(found[1])).encode(), text)


def _filled(files: dict[str, bytes], names: dict[str, str]) -> Folder:
    folder = Folder()
    folder.names = names
    for name, content in files.items():
        (pathlib.Path(folder.path) / name).write_bytes(content)
    return folder


def _remove(folder: str, process: int) -> None:
    """Removes a folder in the process that made it, and not in a child of a fork, whose copy of the problem ends earlier."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)
