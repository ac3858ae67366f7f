/* Models on which natural coordinates are held against the complex step. */
#ifndef MBOPT_TEST_NATURAL_MODELS_H
#define MBOPT_TEST_NATURAL_MODELS_H

static const char *const models[] = {"tests/conformance/models/states.ini",
                                     "tests/conformance/models/acting.ini",
                                     "tests/conformance/models/axles.ini",
                                     "tests/conformance/models/branches.ini",
                                     "tests/conformance/models/cuts.ini",
                                     "tests/conformance/models/constraints.ini",
                                     "tests/conformance/models/couplings.ini",
                                     "tests/conformance/models/door.ini",
                                     "tests/conformance/models/drives.ini",
                                     "tests/conformance/models/hinges.ini",
                                     "tests/conformance/models/image.ini",
                                     "tests/conformance/models/rows.ini",
                                     "tests/conformance/models/tree.ini",
                                     "tests/conformance/models/uncut.ini",
                                     "tests/conformance/models/wheels.ini",
                                     "problems/five_bar/five_bar_driven.ini",
                                     "problems/buggy/buggy.ini"};
enum { N_MODELS = sizeof models / sizeof models[0] };

#endif
