/* Memory for the intermediate results of one simulation, allocated once. */
#ifndef MBD_WORK_PUBLIC_H
#define MBD_WORK_PUBLIC_H

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_work mbd_work;

/* Reference points of the recursion (S0 §3). Any points of the bodies are possible; the choice changes rounding and speed, but no result. */
typedef enum mbd_reference {
  MBD_RTDYN0, /* "com":    centre of mass of each body */
  MBD_RTDYN1, /* "origin": the global origin for all bodies */
  MBD_RTDYN_JOINT, /* "joint":  the point of the joint that carries the body; without such a point, the origin of the body frame */
  MBD_RTDYN_AUTO /* "auto":   in simulations the centres of mass if the mechanism of the model file is far from the origin beside its
                    * size, where moments about the origin have few digits left; else, and elsewhere, the origin */
} mbd_reference;

/* Takes the memory for evaluations of the equations of a model, which must outlive the object. The caller destroys it; one thread at a time
 * may use it. MBD_NO_MEMORY; *out is NULL then. */
mbd_status mbd_work_create(const mbd_model *m, mbd_reference reference, mbd_work **out, mbd_error *err);
void mbd_work_destroy(mbd_work *w); /* NULL allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
