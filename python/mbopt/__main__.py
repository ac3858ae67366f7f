"""`python3 -m mbopt ARGUMENTS...`: the program."""

import os
import sys

from . import program

os.execv(program.path(), ["mbopt", *sys.argv[1:]])
