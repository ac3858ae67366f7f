"""Problems and trajectories as functions of PyTorch, with exact derivatives of first and second order (package `torch`; Debian: python3-torch).

    f = mbopt.torch.objective(p)                                   # x [variable] -> scalar
    q = mbopt.torch.quantities(p)                                  # x -> [quantity]
    y = mbopt.torch.trajectory(p, ["P1.position"], times=t)        # x -> [row][column]

`backward` costs one adjoint; a second one, through a gradient that was made with create_graph=True, one complex adjoint where the case has Hessian products; forward
mode one direct differentiation. x may have dimensions in front, [batch][variable]: these designs run in threads. All is computed on the CPU in double
precision: tensors of single precision are converted, and those of another device are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike

from .errors import InputError, SimulationError
from .kinds import Array
from .optional import needed
from .threads import in_threads
from .workers import Pool

if TYPE_CHECKING:
    from .problem import Problem


def _torch() -> Any:
    return needed("torch", "mbopt.torch")


# ---- what is differentiated: y(x) of a shape, with the products vjp, jvp and second


class _OfProblem:
    """Numbers of a problem, of which one call at a time runs: other threads open it again."""

    shape: tuple[int, ...]

    def __init__(self, problem: Problem):
        self._problems = Pool(lambda: problem.reopen(threads=1), problem.reopen())

    def _by(self, call: Callable[[Problem], Any]) -> Any:
        with self._problems.lent() as p:
            return call(p)


class _Objective(_OfProblem):
    shape = ()

    def __call__(self, x: Array) -> Any:
        return self._by(lambda p: p.value(x))

    def vjp(self, w: Any, x: Array) -> Array:
        return w * self._by(lambda p: p.gradient(x))

    def jvp(self, dx: Array, x: Array) -> Any:
        return self._by(lambda p: p.gradient(x)) @ dx

    def second(self, w: Any, d: Array, x: Array) -> Array:
        return w * self._by(lambda p: p.hessian_product(d, x))


class _Quantities(_OfProblem):
    def __init__(self, problem: Problem):
        super().__init__(problem)
        self.shape = (len(problem.quantities),)

    def __call__(self, x: Array) -> Any:
        return np.array(list(self._by(lambda p: p.values(x)).values()))

    def vjp(self, w: Array, x: Array) -> Array:
        return self._by(lambda p: p.vjp(w, x))

    def jvp(self, dx: Array, x: Array) -> Any:
        return self._by(lambda p: p.jvp(dx, x))

    def second(self, w: Array, d: Array, x: Array) -> Array:
        return self._by(lambda p: p.second(w, d, x))


# ---- tensors


def _numbers(tensor: Any) -> Array:
    """The numbers of a tensor; without a copy, where they are of double precision and one after the other."""
    if tensor.device.type != "cpu":
        raise InputError(f"a tensor on {tensor.device}, but mbopt computes on the CPU: tensor.cpu()")
    return np.ascontiguousarray(tensor.detach().numpy(), dtype=float)


class _Function:
    """A function of PyTorch. failed: what becomes of a design that cannot be simulated: "raise", or "nan" for its values and derivatives."""

    def __init__(self, of: Any, variables: int, failed: str):
        if failed not in ("raise", "nan"):
            raise InputError(f"failed={failed!r}, expected 'raise' or 'nan'")
        self.of, self.variables, self.failed = of, variables, failed
        self._values, self._product = _functions()

    @property
    def shape(self) -> tuple[int, ...]:
        """That of the result, behind the dimensions in front of [variable]."""
        return self.of.shape

    def __call__(self, x: Any) -> Any:
        if x.shape[-1:] != (self.variables,):
            raise InputError(f"designs of shape {tuple(x.shape)}, expected (..., {self.variables})")
        return self._values.apply(self, x)

    def each(self, call: Callable[..., Any], shape: tuple[int, ...], x: Any, *others: Any) -> Any:
        """The results, of a shape, of a call for each design in front, in threads; as a tensor like x."""
        front = tuple(x.shape[:-1])
        rows = [_numbers(one).reshape(-1, *one.shape[len(front) :]) for one in (x, *others)]
        out = np.full((len(rows[0]), *shape), np.nan)

        def one(i: int) -> None:
            try:
                out[i] = call(*(row[i] for row in rows))
            except SimulationError:
                if self.failed == "raise":
                    raise

        if len(out) > 1:
            in_threads(one, range(len(out)))
        else:
            one(0)
        return _torch().from_numpy(out.reshape((*front, *shape))).to(x.dtype)


_made: Any = None


def _functions() -> Any:
    """The two functions of automatic differentiation: y(x), and J(x)' w, by which the first is differentiated."""
    global _made
    if _made:
        return _made
    autograd: Any = _torch().autograd
    once_differentiable: Any = autograd.function.once_differentiable

    class Values(autograd.Function):  # type: ignore[misc]  # of a package without types
        @staticmethod
        def forward(ctx: Any, f: _Function, x: Any) -> Any:
            ctx.f = f
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return f.each(f.of, f.shape, x)

        @staticmethod
        def backward(ctx: Any, w: Any) -> Any:
            return None, Product.apply(ctx.f, ctx.saved_tensors[0], w)

        @staticmethod
        def jvp(ctx: Any, _: Any, dx: Any) -> Any:
            f, (x,) = ctx.f, ctx.saved_tensors
            return f.each(lambda x, dx: f.of.jvp(dx, x), f.shape, x, dx)

    class Product(autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, f: _Function, x: Any, w: Any) -> Any:
            ctx.f = f
            ctx.save_for_backward(x, w)
            return f.each(lambda x, w: f.of.vjp(w, x), (f.variables,), x, w)

        @staticmethod
        @once_differentiable  # type: ignore[misc]
        def backward(ctx: Any, v: Any) -> Any:
            f, (x, w) = ctx.f, ctx.saved_tensors
            by_x = by_w = None
            if ctx.needs_input_grad[1]:
                by_x = f.each(lambda x, w, v: f.of.second(w, v, x), (f.variables,), x, w, v)
            if ctx.needs_input_grad[2]:
                by_w = f.each(lambda x, v: f.of.jvp(v, x), f.shape, x, v)
            return None, by_x, by_w

    _made = Values, Product
    return _made


# ---- for users


def objective(problem: Problem, failed: str = "raise") -> Callable[[Any], Any]:
    """The objective of a problem, as `value` gives it: x [..., variable] to a tensor [...]."""
    return _Function(_Objective(problem), len(problem.variables), failed)


def quantities(problem: Problem, failed: str = "raise") -> Callable[[Any], Any]:
    """All objectives and constraints, in the order of `problem.quantities`: x [..., variable] to a tensor [..., quantity]."""
    return _Function(_Quantities(problem), len(problem.variables), failed)


def trajectory(
    problem: Problem,
    columns: Union[str, Sequence[str]],
    case: Union[str, int, None] = None,
    times: Optional[ArrayLike] = None,
    failed: str = "raise",
) -> Callable[[Any], Any]:
    """Columns of a case at the nodes or at times (`Problem.trajectory`): x [..., variable] to a tensor [..., row, column]."""
    return _Function(problem.trajectory(columns, case, times), len(problem.variables), failed)
