"""What several files of tests open."""

import mbopt
import pytest

SHORT = {"case.swing.duration": 0.2}


@pytest.fixture
def linkage():
    with mbopt.open("configs/five_bar.ini", SHORT) as p:
        yield p
