/* Outputs of coordinates, of joints and added ones: z, zd, zdd of theory.md §1, and the forces along them, rows of theory.md §3 (3.1). */
#include <string.h>

#include "model/state.h"
#include "output/expand.h"

static const char *name(const mbd_model *m, int i) {
  return i == model_first_state(m) ? NULL : m->z_name[i];
}

static int find(const mbd_model *m, const char *of) {
  const int j = mbd_names_find(&m->z_names, of);
  return j < model_first_state(m) ? j : -1;
}

static const char *unit_of(const mbd_model *m, const output *o) {
  static const char *const unit[][3] = {{"rad", "rad/s", "rad/s^2"}, {"m", "m/s", "m/s^2"}, {"-", "1/s", "1/s^2"}};
  int k = 0;
  while (k < 2 && strcmp(m->z_unit[o->object], unit[k][0]) != 0) { k++; }
  return unit[k][o->ops->order];
}

static void coordinate(const mbd_model *m, const output *o, mbd_lift *l) {
  (void)m;
  l->arg[l->narg++] = (mbd_arg){MBD_ARG_COORDINATE, o->object, -1};
}

/* ---- forces along a coordinate ---- */

static const char *unit_on(const mbd_model *m, const output *o) {
  return model_unit_on(m->z_unit[o->object]);
}

static mbd_real force(const output_at *at) {
  return motion_on_coordinate(at->w, at->o->object, at->lam);
}

static mbd_real force_direction(const output_at *at) {
  return motion_on_coordinate_direction(at->w, at->o->object, at->lam, at->dlam);
}

static void force_reverse(const output_at *at, mbd_real s, const output_back *to) {
  motion_on_coordinate_reverse(to->sweep, at->o->object, at->lam, s, to->lam);
}

static void force_rows(const output_at *at, const output_row *g) {
  output_rows_by_reverse(at, force_reverse, g);
}

/* ---- rates of the scheme, which a step projects ---- */

static int place_in_lam(const output_at *at) {
  return output_term_at(at->m, (int)at->o->ops->term) + at->o->object;
}

static mbd_real term(const output_at *at) {
  return at->lam[place_in_lam(at)];
}

static void term_rows(const output_at *at, const output_row *g) {
  g->lam[place_in_lam(at)] += 1;
}

static mbd_real term_direction(const output_at *at) {
  return at->dlam ? at->dlam[place_in_lam(at)] : 0;
}

static void term_reverse(const output_at *at, mbd_real s, const output_back *to) {
  to->lam[place_in_lam(at)] += s;
}

#define OF_TERM .value = term, .rows = term_rows, .direction = term_direction, .reverse = term_reverse
#define OF_COORDINATE \
  OUTPUT_OF_ARGUMENTS, .arguments = coordinate, .eval = component_of_argument, .expand = expand_component

static const output_ops rows[] = {
    {.quantity = "",
     .unit_of = unit_of,
     .doc = "coordinate of a joint, JOINT.NAME, or one added by [coordinate NAME]",
     OF_COORDINATE},
    {.quantity = "rate", .unit_of = unit_of, .doc = "its rate", .order = 1, OF_COORDINATE},
    {.quantity = "acceleration", .unit_of = unit_of, .doc = "its second rate", .order = 2, OF_COORDINATE},
    {.quantity = "unprojected_rate",
     .unit_of = unit_of,
     .doc = "v* of ali3p and penalty: its rate by the scheme, before a step projects it onto the constraints",
     .order = 1,
     .term = OUTPUT_V_STAR,
     OF_TERM},
    {.quantity = "unprojected_acceleration",
     .unit_of = unit_of,
     .doc = "a* of ali3p and penalty: its second rate by the scheme, before a step projects it",
     .order = 2,
     .term = OUTPUT_A_STAR,
     OF_TERM},
    {.quantity = "force",
     .unit_of = unit_on,
     .doc = "force or torque that motors, springs, drives, couplings and constraints exert along the coordinate "
            "itself, positive "
            "where it makes the coordinate grow; less what accelerates its rotors; forces on bodies are no part of it",
     .reactions = 1,
     .value = force,
     .rows = force_rows,
     .direction = force_direction,
     .reverse = force_reverse},
    {0}};

const output_object output_coordinates = {
    .word = "COORDINATE", .noun = "coordinate", .row = rows, .name = name, .find = find};
