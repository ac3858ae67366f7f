/* Reactions of joints, in the tree or cut: the force and the moment that the first body of a joint, as the model file names them, exerts
 * on the second one through it.
 * Equations: theory.md §3 (3.7). */
#include "output/output.h"

static const char *name(const mbd_model *m, int i) {
  return i == m->njoint ? NULL : m->joint[i].name;
}

/* The wrench that the joint exerts on its body[1], and with the opposite sign on body[0]. */
static void through(const mbd_model *m, const output *o, output_wrench *wrench) {
  const mbd_joint *j = &m->joint[o->object];
  *wrench =
      (output_wrench){.section = {.body = j->body[1], .first = j->closure, .count = j->cut ? j->ops->nclosure : -1},
                      .sign = j->reversed ? -1 : 1,
                      .moment = o->ops->moment,
                      .joint = o->object,
                      .side = !j->reversed,
                      .axes = o->ops->local ? j->body[j->reversed] : 0};
}

#define OF_JOINT .shape = OUTPUT_VECTOR, OUTPUT_OF_WRENCH, .wrench = through

static const output_ops rows[] = {
    {.quantity = "reaction_force",
     .unit = "N",
     .doc = "force that the first body of a joint exerts on the second through it, global components: what bearings "
            "and the forces on the joint's own coordinates (motors, springs, drives) transmit together; of the order "
            "of the integrator. In loops with redundant equations the load that each takes is not determined: the "
            "output is computed from the multipliers of least norm, in every formulation and analysis",
     OF_JOINT},
    {.quantity = "reaction_moment",
     .unit = "N m",
     .doc = "the moment that goes with it, about the joint's point on the second body (of a joint without a point: "
            "the origin of that body's frame); along an axis of rotation it is the torque on the joint's coordinate",
     OF_JOINT,
     .moment = 1},
    {.quantity = "local_reaction_force",
     .unit = "N",
     .doc = "the force along the axes of the first body",
     OF_JOINT,
     .local = 1},
    {.quantity = "local_reaction_moment",
     .unit = "N m",
     .doc = "the moment along the axes of the first body",
     OF_JOINT,
     .moment = 1,
     .local = 1},
    {0}};

const output_object output_joints = {.word = "JOINT", .noun = "joint", .row = rows, .name = name};
