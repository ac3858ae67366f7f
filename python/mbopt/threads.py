"""Threads that hand over their work by queues alone. The locks of executors and conditions are lines of Python, and may be left taken for good where Ctrl-C
comes between two of these; a SimpleQueue waits and wakes in C."""

from __future__ import annotations

import os
from _thread import start_new_thread
from queue import Empty, SimpleQueue
from typing import Any, Callable, Optional, Sequence, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def _answer(answers: Any, number: int, call: Callable[..., Any], arguments: Sequence[Any]) -> None:
    try:
        answers.put((number, call(*arguments), None))
    except BaseException as error:
        answers.put((number, None, error))


class Caller:
    """A thread that makes calls one after the other, until nobody has the caller any more."""

    def __init__(self) -> None:
        self._number = 0
        self._calls: Any = SimpleQueue()
        self._answers: Any = SimpleQueue()
        start_new_thread(_serve, (self._calls, self._answers))

    def __del__(self) -> None:
        self._calls.put(None)

    def __call__(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Returns or raises what the function does. Answers that nobody waits for any more, since Ctrl-C came, are passed over."""
        self._number += 1
        number = self._number
        self._calls.put((number, function, arguments))
        while True:
            of, result, error = self._answers.get()
            if of == number and error is None:
                return result
            if of == number:
                raise error


def _serve(calls: Any, answers: Any) -> None:
    while True:
        call = calls.get()
        if call is None:
            return
        _answer(answers, *call)
        del call  # and what it refers to


def in_threads(
    work: Callable[[Item], Result],
    items: Sequence[Item],
    jobs: int = 0,
    told: Callable[[int], None] = lambda done: None,
    interrupt: Callable[[], None] = lambda: None,
) -> list[Result]:
    """The results in the order of the items, of jobs threads; 0: as many as there are processors. told(n): n of them are there. What a call raises, the
    first of them in this order, and Ctrl-C end all: interrupt() is called, no further call begins, and those that run are waited for."""
    calls: Any = SimpleQueue()
    answers: Any = SimpleQueue()
    ended: Any = SimpleQueue()
    results: list[Any] = [None] * len(items)
    threads = 0
    try:
        for i, item in enumerate(items):
            calls.put((i, work, (item,)))
        for _ in range(min(jobs or os.cpu_count() or 1, len(items))):
            start_new_thread(_work, (calls, answers, ended))
            threads += 1
        for i in range(len(items)):
            while results[i] is None:
                of, result, error = answers.get()
                results[of] = (result, error)
            if results[i][1] is not None:
                raise results[i][1]
            told(i + 1)
    except BaseException:
        interrupt()
        _empty(calls)
        raise
    finally:
        for _ in range(threads):
            ended.get()
    return [result for result, _ in results]


def _work(calls: Any, answers: Any, ended: Any) -> None:
    """Makes calls until none is left."""
    try:
        while True:
            _answer(answers, *calls.get_nowait())
    except Empty:
        ended.put(None)


def _empty(calls: Any) -> None:
    try:
        while True:
            calls.get_nowait()
    except Empty:
        pass
