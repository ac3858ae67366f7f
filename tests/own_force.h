/* The force of own_force.c under the name that model files of the tests know it by, as a run file would name it. */
#ifndef MBOPT_TEST_OWN_FORCE_H
#define MBOPT_TEST_OWN_FORCE_H

#include "mbd/user_force.h"

extern const mbd_user_force mbd_plugin;

#define OWN_FORCE "general"

#endif
