"""Makes a wheel that needs nothing of the system but glibc and the run-time libraries of gcc: copies of all other libraries go into it, with names of their
own and with their licences, and every file looks for them beside itself.

  python3 bundle_libraries.py WHEEL FOLDER [LIBRARY...]     LIBRARY: opened by name at run time, as libipopt.so.1

The new wheel in FOLDER has the tag manylinux_MAJOR_MINOR of the glibc of this system. Needs patchelf, readelf, ldd, dpkg."""

import hashlib
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

# Every system of this tag has them: those of manylinux (PEP 600) that ours need.
SYSTEM = re.compile(r"(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux-x86-64|ld-linux-aarch64|linux-vdso)\.so")


def output(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def needed(file):
    """Names of the libraries that a file needs by itself."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", file))


def places(file):
    """Where the loader of this system finds the libraries of a file, and theirs: {name: path}."""
    return dict(re.findall(r"(\S+) => (/\S+)", output("ldd", file)))


def opened(name):
    """Where a library is that is opened by name at run time."""
    found = re.search(rf"{re.escape(name)} .*=> (/\S+)", output("/sbin/ldconfig", "-p"))
    if not found:
        sys.exit(f"{name} is not installed")
    return found[1]


def foreign(files, by_name):
    """All libraries of others that these files need, {name: path}."""
    known = {name: opened(name) for name in by_name}
    own = {file.name for file in files}
    for file in [*files, *known.values()]:
        known.update({name: path for name, path in places(file).items() if name not in own and not SYSTEM.match(name)})
    return {name: pathlib.Path(path).resolve() for name, path in known.items()}


def unique(name, path):
    """A name that no other package has: that of its content."""
    stem, _, rest = name.partition(".so")
    return f"{stem}-{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}.so{rest}"


def package_of(path):
    """The Debian package of a file and its version."""
    for one in (path, pathlib.Path(str(path).replace("/usr/lib/", "/lib/", 1))):
        found = subprocess.run(["dpkg", "-S", one], capture_output=True, text=True)
        if found.returncode == 0:
            package = found.stdout.split(":")[0]
            return package, output("dpkg-query", "-W", "-f", "${Version}", package).strip()
    sys.exit(f"{path} belongs to no package of Debian, so that its licence is not known")


def glibc_needed(files):
    """The newest version of glibc whose symbols some file needs."""
    versions = {version for file in files for version in re.findall(r"GLIBC_(2\.\d+)", output("readelf", "-V", file))}
    return max(versions, key=lambda version: int(version.partition(".")[2]))


def bundle(root, by_name):
    package, info = root / "mbopt", next(root.glob("*.dist-info"))
    own = [*(package / "lib").iterdir(), package / "bin/mbopt"]
    libraries = foreign(own, by_name)
    names = {name: name if name in by_name else unique(name, path) for name, path in libraries.items()}
    for name, path in libraries.items():
        shutil.copy(path, package / "lib" / names[name])
    files = [*(package / "lib").iterdir(), package / "bin/mbopt"]
    for file in files:
        file.chmod(0o755)
        path = "$ORIGIN/../lib" if file.parent.name == "bin" else "$ORIGIN"
        changes = [("--replace-needed", name, names[name]) for name in needed(file) if names.get(name, name) != name]
        changes += [("--set-soname", file.name)] if file.name in names.values() else []
        for change in [*changes, ("--force-rpath", "--set-rpath", path)]:  # patchelf 0.14 writes wrong names where it makes several at once
            output("patchelf", *change, file)

    # Licences: the texts of Debian's packages, and a list of what is from which.
    licences = info / "licenses"
    licences.mkdir()
    rows = []
    for name, path in sorted(libraries.items()):
        debian, version = package_of(path)
        shutil.copy(f"/usr/share/doc/{debian}/copyright", licences / f"{debian}.txt")
        rows.append(f"{names[name]:45s} {debian} {version}\n")
    (licences / "LIBRARIES").write_text("Libraries of others in mbopt/lib, with the packages of Debian that they are from; NAME.txt has the licence.\n\n" + "".join(rows))

    # The tag: what the system has, and at least what the files need.
    system, most = platform.libc_ver()[1], glibc_needed(files)
    if int(most.partition(".")[2]) > int(system.partition(".")[2]):
        sys.exit(f"some library needs glibc {most}, but this system has {system}")
    tag = f"py3-none-manylinux_{system.replace('.', '_')}_{platform.machine()}"
    wheel = info / "WHEEL"
    wheel.write_text(re.sub(r"Tag: .*", f"Tag: {tag}", wheel.read_text()))
    print(f"{len(libraries)} libraries of others from {len({row.split()[1] for row in rows})} packages; symbols of glibc up to {most}; {tag}")


def main():
    wheel, folder, *by_name = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "--dest", temporary, wheel], check=True, stdout=subprocess.DEVNULL)
        root = next(pathlib.Path(temporary).iterdir())
        bundle(root, by_name)
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", folder, root], check=True, stdout=subprocess.DEVNULL)


main()
