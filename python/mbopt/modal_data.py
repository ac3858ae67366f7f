"""Files for ``[body NAME] modal_data``, from a table of places and shapes as finite element programs write it.

The table is CSV with a line of titles. A row is a place of the body: ``name`` (of a node; empty: a point of inertia alone),
``x, y, z`` [m], ``mass`` [kg] (empty: none), then for shape 1, 2, ... the displacements ``dx1, dy1, dz1`` and, where they are known, the
rotations ``rx1, ry1, rz1``. Shapes have to be clamped where the body is carried, its origin.

    python -m mbopt.modal_data casing.csv --frequencies 41.2 97.0 --damping-ratio 0.01 > casing.json
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

__all__ = ["modal_data", "moments"]


def _numbers(row: Mapping[str, str], keys: Iterable[str]) -> List[float]:
    return [float(row.get(key) or 0) for key in keys]


def _place(row: Mapping[str, str], shapes: Sequence[int]) -> Dict[str, Any]:
    place: Dict[str, Any] = {"at": _numbers(row, "xyz")}
    place["translation"] = [_numbers(row, (f"d{c}{k}" for c in "xyz")) for k in shapes]
    if any(f"rx{k}" in row for k in shapes):
        place["rotation"] = [_numbers(row, (f"r{c}{k}" for c in "xyz")) for k in shapes]
    return place


def _dot(a: Sequence[float], b: Sequence[float]) -> float:
    return sum(x * y for x, y in zip(a, b))


def modal_data(
    rows: Iterable[Mapping[str, str]],
    *,
    frequencies: Optional[Sequence[float]] = None,
    stiffness: Optional[Sequence[Sequence[float]]] = None,
    damping_ratio: float = 0,
) -> Dict[str, Any]:
    """The content of the file, from rows of the table and the frequencies [Hz] of its shapes, or their matrix of stiffness.

    With frequencies the shapes have to be modes: stiffness and damping are diagonal, ``m w^2`` and ``2 zeta m w`` with the mass of each
    shape by the points.

    >>> rows = [{"name": "tip", "x": "1", "y": "0", "z": "0", "mass": "2", "dz1": "0.5"}]
    >>> data = modal_data(rows, frequencies=[1 / math.pi])
    >>> data["stiffness"], data["mass_matrix"], sorted(data["nodes"])
    ([[2.0]], [[0.5]], ['tip'])
    """
    table = [dict(row) for row in rows]
    shapes: List[int] = []
    while any(f"{c}{axis}{len(shapes) + 1}" in row for row in table for c in "dr" for axis in "xyz"):
        shapes.append(len(shapes) + 1)
    if not shapes:
        raise ValueError("the table has no shapes, expected columns dx1, dy1, dz1, ...")
    if (frequencies is None) == (stiffness is None):
        raise ValueError("expected frequencies or stiffness, and not both")
    given = frequencies if frequencies is not None else stiffness
    if given is None or len(given) != len(shapes):
        raise ValueError(f"{len(given or [])} numbers for {len(shapes)} shapes")
    nodes = {row["name"]: _place(row, shapes) for row in table if row.get("name")}
    points = [dict(_place(row, shapes), mass=float(row["mass"])) for row in table if float(row.get("mass") or 0)]

    def of_points(i: int, j: int) -> float:
        return sum(p["mass"] * _dot(p["translation"][i], p["translation"][j]) for p in points)

    n = range(len(shapes))
    mass = [[of_points(i, j) for j in n] for i in n]
    data: Dict[str, Any] = {"shapes": [f"shape{k}" for k in shapes]}
    if frequencies is not None:
        for i, j in ((i, j) for i in n for j in range(i)):
            if abs(mass[i][j]) > 1e-2 * math.sqrt(mass[i][i] * mass[j][j]):
                raise ValueError(f"shapes {j + 1} and {i + 1} are not orthogonal by the masses of the table: expected modes, or stiffness")
        w = [2 * math.pi * f for f in frequencies]
        data["stiffness"] = [[mass[i][i] * w[i] ** 2 if i == j else 0.0 for j in n] for i in n]
        if damping_ratio:
            data["damping"] = [[2 * damping_ratio * mass[i][i] * w[i] if i == j else 0.0 for j in n] for i in n]
    else:
        data["stiffness"] = [list(row) for row in stiffness or []]
    data.update(nodes=nodes, points=points, mass=sum(p["mass"] for p in points), mass_matrix=mass)
    return data


def _about(inertia: Sequence[float]) -> List[List[float]]:
    """sum m s s' about a point with the moments and products of inertia xx, yy, zz, xy, xz, yz."""
    xx, yy, zz, xy, xz, yz = inertia
    half = (xx + yy + zz) / 2
    return [[half - xx, -xy, -xz], [-xy, half - yy, -yz], [-xz, -yz, half - zz]]


def _moments(points: Iterable[Mapping[str, Any]], n: int) -> List[List[float]]:
    size = 4 + 3 * n
    Q = [[0.0] * size for _ in range(size)]
    for p in points:
        x = [1.0, *p["at"], *(c for shape in p["translation"] for c in shape)]
        for i in range(size):
            for j in range(size):
                Q[i][j] += p.get("mass", 0) * x[i] * x[j]
        # What is at r beside the point is displaced by Psi x r besides: B r with B = [0 ; 1 ; Psi~ ...].
        B = [[0.0] * 3, [1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]]
        for u, v, w in p.get("rotation") or [[0.0] * 3] * n:
            B += [[0, -w, v], [w, 0, -u], [-v, u, 0]]
        E = _about(p.get("inertia") or [0.0] * 6)
        for i in range(size):
            for j in range(size):
                Q[i][j] += sum(B[i][k] * E[k][l] * B[j][l] for k in range(3) for l in range(3))
    return Q


def moments(data: Mapping[str, Any]) -> Dict[str, Any]:
    """The same file with moments, integrals over all mass, in place of points, whose number does not matter then.

    >>> point = {"at": [1, 0, 0], "mass": 2, "translation": [[0, 0, 0.5]]}
    >>> moments({"shapes": ["bend"], "points": [point]})["moments"][0]
    [2.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0]
    """
    out, n = {key: value for key, value in data.items() if key != "points"}, len(data["shapes"])
    points = data["points"]
    out["moments"] = _moments(points, n)
    if any("shortening" in p for p in points):
        out["shortening_moments"] = [
            [[sum(p["mass"] * x[i] * p["shortening"][j][k] for p, x in zip(points, places) if "shortening" in p) for k in range(n)] for j in range(n)]
            for places in [[[1.0, *p["at"]] for p in points]]
            for i in range(4)
        ]
    blocks = {}
    for name, block in (data.get("derivatives") or {}).items():
        blocks[name] = {key: value for key, value in block.items() if key != "points"}
        if "points" in block:
            changes = [{"mass": 0, "inertia": None, **change} for change in block["points"]]
            blocks[name]["moments"] = _moments([{**p, **change} for p, change in zip(points, changes)], n)
    if blocks:
        out["derivatives"] = blocks
    return out


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m mbopt.modal_data", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("table", help="CSV with columns name, x, y, z, mass, dx1, dy1, dz1, [rx1, ry1, rz1,] dx2, ...")
    parser.add_argument("--frequencies", type=float, nargs="+", required=True, help="of the shapes [Hz]")
    parser.add_argument("--damping-ratio", type=float, default=0)
    o = parser.parse_args(arguments)
    with open(o.table, newline="", encoding="utf-8") as table:
        try:
            data = modal_data(csv.DictReader(table, skipinitialspace=True), frequencies=o.frequencies, damping_ratio=o.damping_ratio)
        except ValueError as error:
            parser.error(str(error))
    json.dump(data, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
