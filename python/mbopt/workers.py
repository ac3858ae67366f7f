"""Many calls of a problem in threads, each with problems of its own."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, Callable, Generic, Iterator, Mapping, Optional, Sequence, TypeVar

from .optional import Progress, teller
from .threads import in_threads

if TYPE_CHECKING:
    from .problem import Problem

Item = TypeVar("Item")
Result = TypeVar("Result")


class Pool(Generic[Item]):
    """Things of which one thread at a time may use each: `lent()` gives one that is idle, or makes another one."""

    def __init__(self, make: Callable[[], Item], *idle: Item):
        self._make = make
        self._idle = list(idle)
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def lent(self) -> Iterator[Item]:
        with self._lock:
            one = self._idle.pop() if self._idle else None
        one = self._make() if one is None else one
        try:
            yield one
        finally:
            with self._lock:
                self._idle.append(one)


class Workers:
    """Threads that call a function for each item. `opened(settings)` is the thread's own problem, with these settings after those of the first one. Ctrl-C
    ends calls after the time step at hand."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._thread = threading.local()
        self._opened: list[Problem] = []
        self._lock = threading.Lock()
        self._ended = False

    def opened(self, settings: Optional[Mapping[str, Any]] = None) -> Problem:
        """The thread's problem; another one where settings are others."""
        settings = dict(settings or {})
        if getattr(self._thread, "settings", None) != settings:
            fresh = self._problem.reopen(settings, threads=1)
            earlier = getattr(self._thread, "problem", None)
            with self._lock:
                self._opened.append(fresh)
                fresh._stop.value = int(self._ended)
                if earlier:
                    self._opened.remove(earlier)
            if earlier:
                earlier.close()
            self._thread.problem, self._thread.settings = fresh, settings
        return self._thread.problem

    def map(
        self, work: Callable[[Item], Result], items: Sequence[Item], jobs: int = 0, progress: Progress = None, unit: str = "run"
    ) -> list[Result]:
        """The results in the order of the items; jobs threads, 0: as many as there are processors. What a call raises ends all."""
        tell, end = teller(progress, unit)
        try:
            return in_threads(work, items, jobs, lambda done: tell(done, len(items)), self._interrupt)
        finally:
            for one in self._opened:
                one.close()
            end()

    def _interrupt(self) -> None:
        """What runs ends after its time step."""
        with self._lock:
            self._ended = True
            for one in self._opened:
                one._stop.value = 1
