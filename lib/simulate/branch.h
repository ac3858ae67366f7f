/* Branches of a mechanism that the case states (mbd_case.branch_output, branch_side; theory.md §5.6 (6.55)): outputs of positions that vanish where
 * branches meet, as the area of a triangle whose sides come in line there, each with what its sign does. */
#ifndef MBD_BRANCH_H
#define MBD_BRANCH_H

#include "state/sim.h"

/* s->branches for the runs of s, NULL where the case states none; checks its names. */
mbd_status branches_create(mbd_sim *s, mbd_error *err);
void branches_destroy(sim_branches *b); /* NULL allowed */

/* Selects the markers on which they depend. */
void branches_sweep_markers(mbd_sim *s);

/* A warning where det (J_guess' J) is negative, with the rows J of the start at the guesses and at the assembled position: a singular position lies between them. The
 * first function keeps those at the placed guesses, the second one compares. Not of sparse blocks, whose determinants would cost more than all of the start. */
void branches_keep_guess(mbd_sim *s);
void branches_compare_guess(mbd_sim *s);
void branches_layout(mbd_sim *s, mbd_arena *a); /* their memory, in s->start */

/* At the beginning of the assembly, placed at the guesses: the sides that they mean. */
void branches_at_guess(mbd_sim *s);
/* 1: at the placed position every output has the sign that is stated; without statements, too. As branches_from and branches_changed this leaves the work at rest. */
int branches_hold(const mbd_sim *s);
/* MBD_NO_ASSEMBLY after `attempts` other guesses; the first position, with s->now, is not on the stated side. */
mbd_status branches_no_start(const mbd_sim *s, int attempts, mbd_error *err);

/* Keeps the values at the placed position, with which branches_changed compares those of a later one: 1 if an output that may change its
 * sign has done so. */
void branches_from(mbd_sim *s);
int branches_changed(const mbd_sim *s);

/* At node 0, and after a step: MBD_SINGULAR where the mechanism has left its branch. Moved. */
mbd_status branches_begin(mbd_sim *s, mbd_error *err);
mbd_status branches_watch(mbd_sim *s, mbd_error *err);

#endif
