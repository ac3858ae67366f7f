"""Types of arguments and results."""

from __future__ import annotations

import os
from typing import Union

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Path = Union[str, "os.PathLike[str]"]
