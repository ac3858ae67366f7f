"""Models made of objects: they are those of the files, and expressions have the values that Python gives them."""

import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest

import mbopt


def pendulum():
    """problems/pendulum/pendulum.ini and configs/pendulum.ini."""
    m = mbopt.Model(title="pendulum", gravity=[0, 0, -9.81])
    length, mass, stiffness, damping = m.scalars(length=1, mass=2, stiffness=5, damping=0.2)
    bar = m.body("bar", mass=mass, com=[length / 2, 0, 0], inertia=[0, mass * length**2 / 12, mass * length**2 / 12])
    m.point("hinge_point", at=[0, 0, 0], bodies=[m.ground, bar])
    m.vector("axis", along=[0, 1, 0], bodies=[m.ground, bar])
    tip = m.point("tip", at=[length, 0, 0], bodies=[bar])
    angle = mbopt.Output("ground-bar").angle
    m.force("spring", "torsion_spring", coordinate=angle, stiffness=stiffness, damping=damping)
    m.start(hold={angle: 0})
    run = mbopt.Run(m)
    run.design(stiffness, lower=0, upper=100)
    run.design(damping, lower=0, upper=20)
    run.case("drop", duration=4, step=5e-3)
    run.objective("settle", of=angle, form="integral_square", target=0.5)
    run.constraint("tip_speed", of=tip.velocity.norm, form="terminal", upper=0.05)
    return run


def five_bar():
    """problems/five_bar/five_bar.ini, frames and joints by name, with the nominal lengths as numbers."""
    m = mbopt.Model(frame="body", joints="named", gravity=[0, -9.81, 0])
    place = {"A": (0, 0), "P1": (-1, -1), "P2": (0.5, -2), "P3": (2, -1), "B": (1, 0)}
    bars = [("A1", "A", "P1", 1), ("B12", "P1", "P2", 1.5), ("B23", "P2", "P3", 1.5), ("B3", "B", "P3", 1)]
    at = {name: {} for name in place}
    at["A"][m.ground], at["B"][m.ground] = [0, 0, 0], [1, 0, 0]
    body, angle = {"ground": m.ground}, {}
    for name, one, other, mass in bars:
        d = np.subtract(place[other], place[one])
        length = np.hypot(*d)
        angle[name] = np.arctan2(d[1], d[0])
        inertia = mass * {1: 2, 1.5: 3.25}[mass] / 12
        com = np.sqrt(2) / 2 if name == "A1" else length / 2
        body[name] = m.body(name, mass=mass, com=[com, 0, 0], inertia=[0, 0, inertia])
        at[one][body[name]], at[other][body[name]] = [0, 0, 0], [length, 0, 0]
    point = {name: m.point(name, at=where) for name, where in at.items()}
    normal = m.vector("normal", along={one: [0, 0, 1] for one in body.values()})
    joints = [("JA", "ground", "A1", "A"), ("J1", "A1", "B12", "P1"), ("J2", "B12", "B23", "P2"), ("J3", "B23", "B3", "P3")]
    for name, one, other, where in joints:
        m.joint(name, "revolute", bodies=[body[one], body[other]], point=point[where], axis=normal)
    m.joint("JB", "revolute", bodies=[m.ground, body["B3"]], point=point["B"], axis=normal, cut="yes")
    free = m.scalars(Ls1=np.sqrt(5), Ls2=np.sqrt(17) / 2)
    for i, (length, to) in enumerate(zip(free, ("P1", "P2")), 1):
        m.force(f"s{i}", "spring", points=[point["B"], point[to]], stiffness=100, free_length=length)
    m.start(hold={body["A1"].angle.z: angle["A1"], body["B12"].angle.z: angle["B12"]})
    steps = {"JA": angle["A1"], "J1": angle["B12"] - angle["A1"], "J2": angle["B23"] - angle["B12"], "J3": angle["B3"] - angle["B23"]}
    m.start(guess={f"{name}.angle": value for name, value in steps.items()})
    run = mbopt.Run(m)
    for length in free:
        run.design(length, lower=0.5, upper=4)
    run.case("swing", duration=0.2, step=1e-2)
    run.objective("psi1", of=point["P2"].position, form="integral_square", target=[0.5, -2, 0])
    return run


def test_same_pendulum_as_the_files():
    with pendulum().open() as built, mbopt.open("configs/pendulum.ini") as read:
        np.testing.assert_array_equal(built.simulate().table, read.simulate().table)
        assert built.values() == read.values() and built.variables == read.variables
        np.testing.assert_array_equal(built.gradients(), read.gradients())


def test_same_five_bar_as_the_files():
    with five_bar().open() as built, mbopt.open("configs/five_bar.ini", {"case.swing.duration": 0.2}) as read:
        ours, theirs = built.simulate(), read.simulate()
        assert ours.names == theirs.names
        np.testing.assert_allclose(ours.table, theirs.table, rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(built.gradient(), read.gradient(), rtol=1e-9)
        assert np.all(built.gradient() != 0) and built.check().right


def formula(draw, depth):
    """A random formula over a and b, as a function of whatever stands for them."""
    if depth == 0:
        return draw.choice([lambda a, b: a, lambda a, b: b, lambda a, b: 0.5, lambda a, b: -3.0])
    one, other = formula(draw, depth - 1), formula(draw, depth - 1)
    return draw.choice(
        [
            lambda a, b: one(a, b) + other(a, b),
            lambda a, b: one(a, b) - other(a, b),
            lambda a, b: one(a, b) * other(a, b),
            lambda a, b: one(a, b) / (np.abs(other(a, b)) + 1),
            lambda a, b: -one(a, b),
            lambda a, b: (np.abs(one(a, b)) + 1) ** -2,
            lambda a, b: one(a, b) ** 2,
            lambda a, b: 2 - (one(a, b) - (other(a, b) - 1)),
            lambda a, b: np.arctan2(one(a, b), np.hypot(other(a, b), 1)),
            lambda a, b: np.minimum(one(a, b), np.sin(other(a, b))),
        ]
    )


def test_expressions_have_the_values_of_python():
    draw, run = random.Random(1), pendulum()
    a, b = run["model"]["file"].scalars(a=0.7, b=-1.3)
    formulas = [formula(draw, 3) for _ in range(60)]
    for i, f in enumerate(formulas):
        value = f(a, b)
        run.constraint(f"v{i}", value=value if isinstance(value, mbopt.Expression) else a * 0 + value, upper=0)
    run["case", "drop"]["duration"] = 5e-3
    with run.open() as p:
        found = p.values()
    for i, f in enumerate(formulas):
        assert found[f"v{i}"] == pytest.approx(float(f(np.float64(0.7), np.float64(-1.3))), rel=1e-12, abs=1e-12)


def test_mirrored_part_beside_the_file(tmp_path):
    arm = mbopt.Model()
    mass = arm.scalars(mass=1)
    bar = arm.body("bar", mass=mass, com=[0, 1, 0], inertia=[1, 1, 1])
    arm.point("pivot", at=[0, 0.5, 0], bodies=["ground", bar])
    arm.vector("axis", along=[1, 0, 0], bodies=["ground", bar])
    m = mbopt.Model()
    m.part("left", file=arm)
    m.part("right", file=arm, mirror="y", scalar={"mass": 2})
    m.start(hold={"ground-left.bar.angle": 0, "ground-right.bar.angle": 0})
    run = mbopt.Run(m)
    run.case("fall", duration=0.1, step=1e-2)
    run.save(tmp_path / "fall.ini")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["fall.ini", "fall_model.ini", "left.ini"]
    motion = mbopt.open(tmp_path / "fall.ini").simulate()
    for side, mass in ("left", 1), ("right", 2):  # accelerations m g d / (I + m d^2) from rest
        fallen = 0.5 * 0.1**2 * mass * 9.81 * 0.5 / (1 + mass * 0.25)
        assert motion[f"ground-{side}.bar.angle"][-1] == pytest.approx(-fallen, rel=1e-3)


def test_long_values_are_broken():
    """A curve of 400 points, a title of 1000 characters with what begins a comment, an expression longer than a line."""
    run = pendulum()
    m = run["model"]["file"]
    t = np.linspace(0, 4, 400)
    m.curve("push", "spline", knots=t, coefficients=0.1 * np.sin(t))
    m.force("motor", "coordinate_force", coordinate="ground-bar.angle", force="push")
    m["model"]["title"] = "; # [x] é" * 120
    scalar = m.scalars(a=1)
    run.constraint("sum", value=sum([scalar] * 100), upper=0)
    run["case", "drop"]["duration"] = 0.05
    with run.open() as p, pendulum().open({"case.drop.duration": 0.05}) as plain:
        assert p.values()["sum"] == 100
        assert p.value() != plain.value()


@pytest.mark.parametrize("name", ["five_bar", "step_descent", "suspension_two_cases", "measured_bar", "chain", "servo_fit", "rolling_disc"])
def test_files_that_are_read_are_the_same(name, tmp_path):
    """Run files, models with parts, curves, repetitions and long values, read and written in another folder, give the same values."""
    run = mbopt.Run.read(f"configs/{name}.ini")
    assert run.model["model"] and run["model"]["file"] is run.model
    short = {} if run.names("measurement") else {f"case.{case}.duration": 0.05 for case in run.names("case")}
    run.save(tmp_path / "again.ini")
    with mbopt.open(f"configs/{name}.ini", short) as file, mbopt.open(tmp_path / "again.ini", short) as built:
        assert built.variables == file.variables and built.quantities == file.quantities
        assert built.values() == file.values()


def test_a_model_that_is_extended():
    m = mbopt.Model("problems/pendulum/pendulum.ini", gravity=[0, 0, -1.62])
    I = np.array([[0.1, 0.01, 0.02], [0.01, 0.2, 0.03], [0.02, 0.03, 0.3]])
    load = m.body("load", mass=0.5, com=[0.2, 0, 0], inertia=I)
    assert load["inertia"] == [0.1, 0.2, 0.3, 0.01, 0.02, 0.03]  # Ixx, Iyy, Izz, Ixy, Ixz, Iyz
    m.point("tip_of_load", at={"bar": ["length", 0, 0], load: [0, 0, 0]})
    m.vector("axis_of_load", along=[0, 1, 0], bodies=["bar", load])
    joint = m.joint("elbow", "revolute", bodies=["bar", load], point="tip_of_load", axis="axis_of_load")
    m.start(hold={joint.angle: 0.1})
    run = mbopt.Run(m)
    run.case("drop", duration=0.1, step=1e-2)
    motion = run.open().simulate()
    assert motion["elbow.angle"][0] == 0.1 and motion["elbow.angle"][-1] != 0.1
    with pytest.raises(mbopt.InputError, match="3 of 3"):
        m.body("b", mass=1, com=[0, 0, 0], inertia=np.eye(2))
    with pytest.raises(mbopt.InputError, match="'gravty' is not known; is 'gravity' meant"):
        mbopt.Model("problems/pendulum/pendulum.ini", gravty=[0, 0, 0])
    with pytest.raises(OSError, match="no_such_file"):
        mbopt.Model("no_such_file.ini")


def test_errors():
    m = mbopt.Model()
    m.body("bar", mass=1)
    with pytest.raises(mbopt.InputError, match=r"\[body rod\]: key 'maas' is not known; is 'mass' meant"):
        m.body("rod", maas=1)
    with pytest.raises(mbopt.InputError, match=r"\[body bar\] is there already"):
        m.body("bar")
    with pytest.raises(mbopt.InputError, match="type of force 'sprin' is not known; is 'spring' meant"):
        m.force("s", "sprin")
    with pytest.raises(mbopt.InputError, match=r"\[start\]: key 'holds.x'"):
        m.start(holds={"x": 1})
    with pytest.raises(mbopt.InputError, match="no number, name, expression or list"):
        m.body("stick", mass=object()), mbopt.Run(m).save("/dev/null")
    with pytest.raises(TypeError, match="no number and no expression"):
        mbopt.Expression("a") + "b"
    with pytest.raises(AttributeError):
        m.bodies
    with pytest.raises(KeyError, match=r"body beam"):
        m["body", "beam"]
    bare = mbopt.Run(mbopt.Model())
    with pytest.raises(mbopt.InputError, match=r"^run: no \[case NAME\]"):
        bare.open()


def test_every_section_has_its_method():
    for cls, file in (mbopt.Model, "model"), (mbopt.Run, "run"):
        for kind in mbopt.build._kinds(file):
            assert callable(getattr(cls, kind, None)) or kind == "model"
    assert "linear stiffness k" in mbopt.keys("force", "spring")["stiffness"].doc
    assert "torsion_spring" in mbopt.Model.force.__doc__ and "mass of the body" in mbopt.Model.body.__doc__


def test_hints_are_those_of_the_tables():
    hints = pathlib.Path("scripts/hints")
    if not hints.exists():
        pytest.skip("no tree of sources")
    written = subprocess.run([sys.executable, hints], capture_output=True, text=True, check=True).stdout
    same = pathlib.Path("python/mbopt/sections.pyi").read_text(encoding="utf-8") == written
    assert same, "the tables have other sections or keys: scripts/hints > python/mbopt/sections.pyi"
