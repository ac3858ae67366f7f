/* The table of projection matrices: a new one is one file and one word here. */
#include "base/table.h"
#include "formulation/projection.h"

#define MBD_PROJECTIONS(X) X(mass) X(unit) X(tangent)

#define X(n) extern const mbd_projection_ops mbd_projection_##n;
MBD_PROJECTIONS(X)
#undef X

static const mbd_projection_ops *const projections[] = {
#define X(n) &mbd_projection_##n,
    MBD_PROJECTIONS(X)
#undef X
};

MBD_TABLE(mbd_projection_ops, projections, mbd_projection_at, mbd_projection_find, name)
