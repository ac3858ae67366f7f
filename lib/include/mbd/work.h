/* Scratch memory of one simulation: everything that is computed on the way, allocated once. */
#ifndef MBD_WORK_PUBLIC_H
#define MBD_WORK_PUBLIC_H

#include "mbd/model.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct mbd_work mbd_work;

/* Reference points of the recursion (S0 §3), where any points of the bodies would do. The choice changes no result, only
 * rounding and speed. */
typedef enum mbd_reference {
  MBD_RTDYN0,     /* "com":    centre of mass of each body */
  MBD_RTDYN1,     /* "origin": the global origin for all bodies */
  MBD_RTDYN_JOINT /* "joint":  of each body the point of the joint that carries it; without one, the origin of its frame */
} mbd_reference;

/* Room for one evaluation of the equations of a model, which must outlive it; one thread at a time uses it. MBD_NO_MEMORY. */
mbd_status mbd_work_create(const mbd_model *m, mbd_reference reference, mbd_work **out, mbd_error *err);
void mbd_work_destroy(mbd_work *w); /* NULL allowed */

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
