"""`pip install .`: the package with the libraries, which CMake builds in build/pip. MBOPT_BUILD names a folder in which they are built
already, as build/release. pyproject.toml has the rest."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

root = pathlib.Path(__file__).resolve().parent


def built():
    """The folder of the libraries."""
    if "MBOPT_BUILD" in os.environ:
        return pathlib.Path(os.environ["MBOPT_BUILD"]).resolve()
    folder = root / "build/pip"
    settings = ["-DCMAKE_BUILD_TYPE=Release", "-DMBOPT_TESTS=OFF", "-DMBOPT_BENCH=OFF"]
    subprocess.run(["cmake", "-S", root, "-B", folder, *settings], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target", "mbd", "mbo", "mbd_complex"], check=True)
    return folder


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        folder = built()
        with tempfile.TemporaryDirectory() as prefix:
            for component in "libmbd", "libmbo":
                install = ["cmake", "--install", folder, "--component", component, "--prefix", prefix]
                subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            for library in pathlib.Path(prefix).rglob("*.so.*"):
                shutil.copy(library, pathlib.Path(self.build_lib) / "mbopt" / library.name)


class WithLibraries(Distribution):
    """Not the same on every machine."""

    def has_ext_modules(self):
        return True


(root / "build").mkdir(exist_ok=True)
setup(
    cmdclass={"build_py": BuildWithLibraries},
    distclass=WithLibraries,
    options={"egg_info": {"egg_base": "build"}},  # nothing of it among the sources
)
