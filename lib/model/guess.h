/* Messages for guesses of the start that name no coordinate. */
#ifndef MBD_GUESS_H
#define MBD_GUESS_H

#include "model/model.h"

/* MBD_BAD_INPUT: `quantity` is no coordinate of the model; the message names those that a guess may be given for instead. */
mbd_status model_no_guess(const mbd_model *m, const char *quantity, mbd_error *err);

#endif
