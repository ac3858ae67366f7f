"""Derivatives by PyTorch are those of the package, of first and second order, of batches and threads."""

import pathlib
import re
import runpy
import threading

import numpy as np
import pytest

import mbopt

torch = pytest.importorskip("torch")


@pytest.fixture
def pendulum():
    with mbopt.open("configs/pendulum.ini", {"case.drop.duration": 0.3}) as p:
        yield p


def start(p, **how):
    return torch.tensor(p.start, requires_grad=True, **how)


def functions(p):
    return [
        mbopt.torch.objective(p),
        mbopt.torch.quantities(p),
        mbopt.torch.trajectory(p, ["ground-bar.angle", "ground-bar.angle.rate"], times=[0.1, 0.3, 0.21]),
    ]


def test_gradcheck(pendulum):
    x = start(pendulum)
    for f in functions(pendulum):
        assert f(x).shape == f.shape
        assert torch.autograd.gradcheck(f, x, eps=1e-5, atol=1e-8, rtol=1e-6, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(f, x, eps=1e-5, atol=1e-7, rtol=1e-5)


def test_own_gradients(pendulum):
    x = start(pendulum)
    mbopt.torch.objective(pendulum)(x).backward()
    assert np.allclose(x.grad, pendulum.gradient(), rtol=1e-12, atol=0)
    J = torch.autograd.functional.jacobian(mbopt.torch.quantities(pendulum), x)
    assert np.allclose(J, pendulum.gradients(), rtol=1e-12, atol=0)
    H = torch.autograd.functional.hessian(mbopt.torch.objective(pendulum), x)
    assert np.allclose(H, pendulum.hessian(), rtol=1e-10, atol=1e-12)


def test_several_forward_calls_before_the_backward_ones(pendulum):
    y = mbopt.torch.trajectory(pendulum, "ground-bar.angle")
    designs = [start(pendulum), torch.tensor(pendulum.start * 1.1, requires_grad=True)]
    values = [y(x).sum() for x in designs]
    for value in values:
        value.backward()
    of = pendulum.trajectory("ground-bar.angle")
    for x in designs:
        assert np.allclose(x.grad, of.vjp(np.ones(of.shape), x.detach().numpy()), rtol=1e-12)


def test_batches(pendulum):
    x = torch.tensor(pendulum.start * np.array([[[1.0]], [[1.2]], [[0.9]]]), requires_grad=True)
    for f in functions(pendulum):
        y = f(x)
        assert y.shape == (3, 1, *f.shape)
        (g,) = torch.autograd.grad(y.sum(), x)
        for i in range(3):
            one = x[i, 0].detach().requires_grad_()
            assert torch.equal(f(one), y[i, 0])
            assert torch.equal(torch.autograd.grad(f(one).sum(), one)[0], g[i, 0])


def test_threads(pendulum):
    y, results = mbopt.torch.trajectory(pendulum, "ground-bar.angle"), [None] * 6

    def run(i):
        x = torch.tensor(pendulum.start * (1 + 0.1 * i), requires_grad=True)
        y(x).square().sum().backward()
        results[i] = x.grad

    threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for i, g in enumerate(results):
        run(i)
        assert torch.equal(g, results[i])


def test_failed_designs_and_messages(pendulum):
    with pytest.raises(mbopt.InputError, match=r"designs of shape \(3,\), expected \(..., 2\)"):
        mbopt.torch.objective(pendulum)(torch.zeros(3))
    with pytest.raises(mbopt.InputError, match="expected 'raise' or 'nan'"):
        mbopt.torch.objective(pendulum, failed="no")
    x = torch.tensor([[np.nan, 0.2], [10.0, 0.2]], requires_grad=True)
    with pytest.raises(mbopt.SimulationError):
        mbopt.torch.objective(pendulum)(x)
    f = mbopt.torch.objective(pendulum, failed="nan")(x)
    assert torch.isnan(f[0]) and not torch.isnan(f[1])


def test_single_precision(pendulum):
    x = start(pendulum, dtype=torch.float32)
    f = mbopt.torch.objective(pendulum)(x)
    f.backward()
    assert f.dtype == x.grad.dtype == torch.float32
    assert np.allclose(x.grad, pendulum.gradient(), rtol=1e-5)


@pytest.mark.parametrize("script", ["policy/train.py", "damper/fit.py"])
def test_examples(script, monkeypatch, capsys):
    file = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python" / script
    monkeypatch.setattr("sys.argv", [str(file), "2"])
    runpy.run_path(str(file), run_name="__main__")
    text = capsys.readouterr().out
    assert float(re.search(r"differ by (\S+)", text)[1]) < 1e-11
    losses = [float(one) for one in re.findall(r"(?:loss|begin:|L-BFGS:|L-BFGS-B:) ([0-9.e+-]+)", text)]
    assert len(losses) == 3 and losses[1] < losses[0] and losses[2] < losses[0]
