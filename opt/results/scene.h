/* The moving mechanism as data for its animation (assets/scene.js, which describes how they are drawn).
 *
 *   up       [3] unit vector against gravity; z without gravity
 *   cases    of each load case
 *     name, duration [s], times [frames] in s
 *     length     unit of the positions in `pose` [m]; those of everything else are in m
 *     ground     points of the ground that bodies share: {name, at [3], bearing: a joint holds a body there, which does not float}
 *     bodies     {name, points [{name, at [3], joint: shared with another body}],
 *                 faces [[corner, ...]], bar [[corner, corner]]: convex hull; corners count the points, and then the com,
 *                 pose [frames * 7]: integers: place of the com in `length`, quaternion w x y z in 1e-7}
 *     lines      elements between two points: {name, kind: "spring", "damper", "spring_damper", "stop", "rod", "guide",
 *     "bushing",
 *                 ends [[body, x, y, z] * 2], tension [frames] as integers in `unit` [N], where it has one}
 *     joints     elements that act on coordinates, torques on bodies and forces at points: {name, kind: "torsion",
 *     "motor", "gear", "push",
 *                 ends [[body, x, y, z], ...], axis [3] in the axes of the body of the first end}
 *     arrows     reactions of joints and of guides, on the second body, forces of tyres and bushings, forces that act on points, and torques on
 *                 bodies: {name, kind: "reactions", "tyres", "bushings", "applied", end [body, x, y, z], force [frames * 3] as integers in `unit` [N], or moment, in
 *                 `unit` [N m], global components, wheel: number of the tyre's in `wheels`}; moments that nobody would see are left out
 *     wheels     {name, body, centre [3], axis [3], radius}
 *     shapes, missing   of bodies (shapes.h)
 *     rails      of joints whose second body slides on the first: {name, body: the one with the rail, slider [body, x, y, z]: the other one, axis [3]
 *                in its axes}
 *     beams      {name, body, stations [[body, x, y, z], ...] from end to end, each on a body of its own, undeformed [[body, x, y, z], ...]: where
 *                they are on the beam's body while it does not bend, stress: {unit [N/m^2], values [frames * stations] as integers in it, largest
 *                [N/m^2], time [s], station: of all of the motion, between frames too}, of sections that tell stresses}; bodies with modal_data with
 *                lines [[station, station], ...]
 *     road       [[x, height], ...] over the travelled range; null: the plane 0, if there are wheels
 *   meshes   of shapes (shapes.h)
 * Bodies are counted from 0, -1 is the ground. Places on a body are in its axes from its com (centre of mass), whose
 * path between two frames is nearly straight even if the body turns fast; those on the ground are global. */
#ifndef MBO_SCENE_H
#define MBO_SCENE_H

#include <jansson.h>

#include "mechanism/mechanism.h"

/* The frames of a simulation that is to come, of load_case->sim at the design that is set, which gains the outputs of the arrows (load_case->shown).
 * At most `frames` >= 2 at equal distances in time, no more than there are steps. frames = SCENE_BY_CONTENT: as many as the motion needs: with fewer, places
 * between two frames would be off by half a per cent of the mechanism's size, or a body by 0.02 rad. At least 30, and at most 400, less of more than 6
 * bodies, 150 of 18 and more. The caller destroys *out, NULL on failure: MBD_BAD_INPUT for too few frames; MBD_NO_MEMORY. */
enum { SCENE_BY_CONTENT = 0 };
typedef struct scene_recording scene_recording;
mbd_status scene_record(mechanism_case *load_case, int frames, scene_recording **out, mbd_error *err);
void scene_recording_destroy(scene_recording *r); /* NULL allowed */
/* Node k of the simulation, to be called by its observer. Node 0 begins anew. */
void scene_node(scene_recording *r, int k, double t, const double *z, const double *y);
/* The scene of all cases after their simulations, recording [m->ncase]; NULL: no memory. */
json_t *scene_describe(const mechanism *m, scene_recording *const *recording);

/* One case at its start, in a single frame: {up, case, meshes}, case as above. sim: the simulation of that case, after
 * mbd_sim_start. The caller owns *out. MBD_NO_MEMORY. */
mbd_status scene_at_start(const mechanism *m, const mechanism_case *load_case, mbd_sim *sim, json_t **out,
                          mbd_error *err);

/* One case at the design that is set, without forces, with a frame for each of its nodes; of a simulation that fails on its way those before: *out, which the
 * caller owns, is NULL where there are none. Returns the status of the simulation. */
mbd_status scene_as_far(const mechanism *m, const mechanism_case *load_case, json_t **out, mbd_error *err);

#endif
