/* The scene of a motion alone. */
#ifndef TESTS_SCENE_TEST_H
#define TESTS_SCENE_TEST_H

#include "results/motion.h"
#include "results/scene.h"

static mbd_status scene_create(mechanism *m, const double *rho, int frames, json_t **out, mbd_error *err) {
  motion *w = NULL;
  const mbd_status status = motion_create(m, rho, (motion_request){.scene = 1, .frames = frames}, &w, err);
  *out = w ? json_incref(w->scene) : NULL;
  motion_destroy(w);
  return status;
}

#endif
