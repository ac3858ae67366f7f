/* The error of the linearization of each force between two motions (nonsmooth.h). Reports of a failed iteration name the force with the
 * largest error. The slopes are those of theory.md §3 (3.3). */
#include "formulation/nonsmooth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dynamics/motion.h"

#if !defined(MBD_COMPLEX) && !defined(MBD_SCALAR_HEADER) && MBD_DESIGNS == 1 /* with plain numbers */

/* out [3] += B v */
static void add_product(double *out, const double B[9], const double *v) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) { out[i] += B[3 * i + k] * v[k]; }
  }
}

/* Compares force i at the present motion with its linear part l about `from`; *worst becomes this force if its error is the largest so
 * far. */
static void compare_force(const mbd_sim *s, int i, const mbd_arg_state *from, const force_linear *l, nonsmooth *worst) {
  const int narg = s->m->force[i].lift.narg;
  mbd_arg_state to;
  double f[ELEMENT_ARG_MAX][3], missed = 0, change = 0;
  motion_force(s->w, i, &to, f);
  for (int a = 0; a < narg; a++) {
    double linear[3] = {0, 0, 0};
    for (int b = 0; b < narg; b++) {
      double dx[3], dxd[3];
      for (int k = 0; k < 3; k++) { dx[k] = to.x[b][k] - from->x[b][k], dxd[k] = to.xd[b][k] - from->xd[b][k]; }
      add_product(linear, l->K[a][b], dx), add_product(linear, l->D[a][b], dxd);
    }
    for (int k = 0; k < 3; k++) {
      const double d = f[a][k] - l->f[a][k];
      change += d * d, missed += (d - linear[k]) * (d - linear[k]);
    }
  }
  if (sqrt(missed) > worst->missed) { *worst = (nonsmooth){sqrt(missed), sqrt(change), i}; }
}

static void move_to(mbd_sim *s, const nonsmooth_motion *motion) {
  motion_place(s->w, s->p, motion->t, motion->z);
  motion_move(s->w, motion->zd, s->before.zdd, 1);
}

mbd_status nonsmooth_find(mbd_sim *s, const nonsmooth_motion *from, const nonsmooth_motion *to, nonsmooth *worst,
                          mbd_error *err) {
  const size_t n = (size_t)s->m->nforce;
  mbd_arena memory = {0};
  force_linear *linear = NULL;
  while (mbd_arena_pass(&memory)) { linear = motion_force_layout(s->m, &memory); }
  mbd_arg_state *x = malloc((n + 1) * sizeof *x);
  double f[ELEMENT_ARG_MAX][3];
  mbd_status status = MBD_OK;
  *worst = (nonsmooth){.force = -1};
  if (!linear || !x) {
    status = MBD_FAILED(err, MBD_NO_MEMORY, "no memory to look for kinks of %zu forces", n);
  } else {
    move_to(s, from);
    motion_linearize_forces(s->w, linear);
    for (size_t i = 0; i < n; i++) { motion_force(s->w, (int)i, &x[i], f); }
    move_to(s, to);
    for (size_t i = 0; i < n; i++) { compare_force(s, (int)i, &x[i], &linear[i], worst); }
  }
  free(memory.base), free(x);
  return status;
}

#else

mbd_status nonsmooth_find(mbd_sim *s, const nonsmooth_motion *from, const nonsmooth_motion *to, nonsmooth *worst,
                          mbd_error *err) {
  (void)s, (void)from, (void)to, (void)err;
  *worst = (nonsmooth){.force = -1};
  return MBD_OK;
}

#endif

void nonsmooth_remedy(const mbd_force *force, char *text, size_t size) {
  static const char *const widening[] = {"touchdown", "slip_speed", "vxlow", "onset", "width"};
  size_t used = 0;
  snprintf(text, size, "a smoother law");
  for (const mbd_coef_info *coef = force->ops->info.coefs; coef->key; coef++) {
    for (size_t i = 0; i < sizeof widening / sizeof widening[0]; i++) {
      if (strcmp(coef->key, widening[i]) != 0) { continue; }
      snprintf(text + used, size - used, "%s%s", used ? " or " : "a larger ", coef->key);
      used = strlen(text);
    }
  }
}
