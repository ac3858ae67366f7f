/* The equations of motion at one position with the mass matrix, M x + Phi_z' y = f, Phi_z x = g, for formulations with
 * dense matrices. */
#ifndef MBD_MASS_H
#define MBD_MASS_H

#include "formulation/matrices.h"

/* Prepares system->motion at the current position: fills M, Phi_z and the factors of M + alpha Phi_z' Phi_z. MBD_SINGULAR
 * with the text of mass_missing. */
mbd_status mass_factor(mbd_sim *s, matrices *system, mbd_error *err);

/* MBD_SINGULAR where these matrices cannot be factored, with the coordinates at the swept position that have neither mass nor a
 * constraint. For formulations with dense matrices; overwrites M and Phi_z. */
mbd_status mass_missing(mbd_sim *s, mbd_error *err);

#endif
