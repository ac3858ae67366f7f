# shellcheck shell=bash
# Debian packages that mbopt is built from, each with its reason. Sourced by run and test.
# shellcheck disable=SC2034
packages=(
  gcc                  # the compiler
  cmake                # build description
  ninja-build          # build tool of the presets
  pkg-config           # where the libraries are
  libinih-dev          # INI files
  libjansson-dev       # JSON results and journal
  libopenblas-dev      # LAPACK: factors of large systems
  libsuitesparse-dev   # KLU: sparse factors of large mechanisms
  libsqlite3-dev       # merged studies for queries
  libexpat1-dev        # robots in URDF
  gnuplot-nox          # figures as files
  libjs-dygraphs       # curves of reports that answer the mouse
  libcunit1-dev        # tests
)
# Optimizers: the packages of their rows.
mapfile -t -O "${#packages[@]}" packages < <(
  sed -n 's/^ *X([a-z0-9_]*, *"[^"]*", *"\([^"][^"]*\)").*/\1/p' "${BASH_SOURCE[0]%/*}/../opt/backend/backends.h"
)
# What only tests use, which are skipped without it.
test_packages=(
  chromium-headless-shell # opens the pages of reports: a third of the time of the whole browser
  slurm-wlm            # a queue of one machine, for studies on a cluster
  munge                # how its daemons know each other
  sqlite3              # queries of merged studies
  graphviz             # drawings of the folders (scripts/house)
  python3-numpy        # the Python package
  python3-scipy        # its optimizers, beside ours
  python3-pytest       # runs the tests of the Python package
  python3-pandas       # views of its tables
  python3-matplotlib   # its figures
  python3-torch        # functions of PyTorch
  perl                 # whether folders and equations stand where docs/ says (scripts/house, scripts/theory)
)

# What only scripts/test --long uses.
long_packages=(
  abigail-tools        # the binary interface (scripts/abi)
  python3-pip          # the package by `pip install .`
  python3-setuptools   # builds it
  python3-wheel        # likewise
)

# What scripts/web makes the engines of pages with.
web_packages=(
  emscripten           # C to WebAssembly
  node-acorn           # its reader of JavaScript
  nodejs               # runs both
  dpkg-dev             # sources of the libraries
  libjs-codemirror     # the editor of the playground
  node-marked          # the lessons, from Markdown
  f2c                  # LAPACK to C
  zopfli               # small files
)

# What scripts/wheels makes packages of Python with.
wheel_packages=(
  python3-pip          # `pip wheel`
  python3-setuptools   # builds it
  python3-wheel        # unpacks and packs it
  patchelf             # names of libraries in a wheel
  binutils             # readelf
)

# A second compiler, for scripts/test.
clang_packages=(
  clang                # other warnings than gcc's
  libclang-rt-dev      # its sanitizers
  lld                  # its linker: sanitized programs in a third of the time
)

# What scripts/analyze asks.
analysis_packages=(
  cppcheck             # values that are not set, limits that are passed
  clang-tidy           # its bugprone and cert checks
  jq                   # the compiler's command of each source, for clang-tidy
  codespell            # spelling of documents and comments
  doxygen              # reference of the public headers
  mypy                 # type hints of the Python package
)

# Install what is missing, or say how and stop (exit 9).
install_packages() {
  local missing=() package
  if ! command -v dpkg-query >/dev/null; then
    echo "not a Debian system: going on, with the equivalents of $*" >&2
    return 0
  fi
  for package in "$@"; do
    if [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" != installed ]; then
      missing+=("$package")
    fi
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
      as_root=(sudo)
    else
      echo "These packages are missing; install them with:" >&2
      echo "  sudo apt-get install ${missing[*]}" >&2
      exit 9
    fi
  fi
  echo "installing ${missing[*]}" >&2
  if ! "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null 2>&1; then
    "${as_root[@]}" apt-get update -qq >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >&2
  fi
}

# build PRESET [OPTIONS OF cmake...]: configure and build, everything or the target that $target names; the log is shown when it fails.
build() {
  local log="build/$1.log"
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache # CMake reads it when it configures for the first time
  fi
  mkdir -p build
  if ! { cmake --preset "$@" && cmake --build --preset "$1" ${target:+--target "$target"}; } >"$log" 2>&1; then
    cat "$log" >&2
    echo "building '$1' failed" >&2
    exit 1
  fi
}
