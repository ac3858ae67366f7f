"""What goes wrong, as exceptions with the sentence of the program."""


class Error(Exception):
    """Something failed; `status` is the name of the library's code, as "MBD_NO_CONVERGENCE"."""

    def __init__(self, text, status="", time=None):
        super().__init__(text)
        self.status = status
        self.time = time
        """Simulated time of the failure [s]; None where time plays no part."""


class InputError(Error, ValueError):
    """A file, a setting or an argument is wrong: file, line and key, what was found and what was expected."""


class SimulationError(Error, ArithmeticError):
    """This design cannot be simulated; another one may be."""
