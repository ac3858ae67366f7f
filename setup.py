"""The package of Python with its libraries and the program, which CMake builds in build/pip. MBOPT_BUILD names a folder in which they are built
already, as build/release. pyproject.toml has the rest; scripts/wheels makes packages that need nothing else of the system."""

import os
import pathlib
import shutil
import subprocess
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

root = pathlib.Path(__file__).resolve().parent
COMPONENTS = "libmbd", "libmbo", "program"
TARGETS = ("product",)


def built():
    """The folder of the libraries."""
    if "MBOPT_BUILD" in os.environ:
        return pathlib.Path(os.environ["MBOPT_BUILD"]).resolve()
    folder = root / "build/pip"
    settings = ["-DCMAKE_BUILD_TYPE=Release", "-DMBOPT_TESTS=OFF", "-DMBOPT_BENCH=OFF"]
    subprocess.run(["cmake", "-S", root, "-B", folder, *settings], check=True)
    subprocess.run(["cmake", "--build", folder, "--parallel", "--target", *TARGETS], check=True)
    return folder


class BuildWithLibraries(build_py):
    def run(self):
        super().run()
        folder, package = built(), pathlib.Path(self.build_lib) / "mbopt"
        with tempfile.TemporaryDirectory() as prefix:
            for component in COMPONENTS:
                install = ["cmake", "--install", folder, "--component", component, "--prefix", prefix]
                subprocess.run(install, check=True, stdout=subprocess.DEVNULL)
            for kind, files in ("lib", pathlib.Path(prefix).rglob("*.so.*")), ("bin", [pathlib.Path(prefix) / "bin/mbopt"]):
                (package / kind).mkdir(exist_ok=True)  # beside each other, as the program looks for libraries
                for file in files:
                    shutil.copy(file, package / kind / file.name)


class WithLibraries(Distribution):
    """Not the same on every machine."""

    def has_ext_modules(self):
        return True


class ForEveryPython(bdist_wheel):
    """The libraries are opened by ctypes, so that the package is for every Python 3 of this machine."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


(root / "build").mkdir(exist_ok=True)
setup(
    cmdclass={"build_py": BuildWithLibraries, "bdist_wheel": ForEveryPython},
    distclass=WithLibraries,
    options={"egg_info": {"egg_base": "build"}},  # nothing of it among the sources
)
