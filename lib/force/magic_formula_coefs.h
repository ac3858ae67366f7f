/* Coefficients of tyre_magic_formula.c in their order: one list gives the enum and the table. The keys are those of
 * property files (.tir), in lower case.
 *   X(name, key, unit, default, range, doc)     NAN: required */
#ifndef MBD_MAGIC_FORMULA_COEFS_H
#define MBD_MAGIC_FORMULA_COEFS_H

#include "force/tyre.h"

#define MF_NEG   -1e300, -1e-9
#define MF_SIDES -1, 1

/* scaling factors, shape coefficients with default 0 */
#define MF_SCALE(X, name, key, doc) X(name, key, "-", 1, MBD_NOT_NEGATIVE, doc)
#define MF_SHAPE(X, name, key, doc) X(name, key, "-", 0, MBD_ANY, doc)

#define MF_COEFS(X)                                                                                                    \
  X(R0, "unloaded_radius", "m", NAN, MBD_POSITIVE, "radius R0 without load")                                           \
  X(CZ, "vertical_stiffness", "N/m", NAN, MBD_POSITIVE, "vertical stiffness")                                          \
  X(DAMPING, "vertical_damping", "N s/m", 0, MBD_NOT_NEGATIVE, "vertical damping")                                     \
  X(TOUCHDOWN, "touchdown", "m", 1e-3, MBD_POSITIVE, "depth over which the load sets in; not from the file")           \
  X(FNOMIN, "fnomin", "N", NAN, MBD_POSITIVE, "nominal load Fz0")                                                      \
  X(FZMAX, "fzmax", "N", 1e300, MBD_POSITIVE,                                                                          \
    "load up to which the coefficients follow the load; then they level off")                                          \
  X(VXLOW, "vxlow", "m/s", 1, MBD_POSITIVE, "speed below which slips and directions are regularized")                  \
  X(LONGVL, "longvl", "m/s", 16.7, MBD_POSITIVE, "speed of the measurement, for rolling resistance")                   \
  X(SIDE, "side", "-", 1, MF_SIDES,                                                                                    \
    "1: mounted as the file describes it; -1: mirrored, for the other side of the car")                                \
  X(BREFF, "breff", "-", 0, MBD_ANY, "effective rolling radius: slope at light load")                                  \
  X(DREFF, "dreff", "-", 0, MBD_ANY, "effective rolling radius: size of the part that saturates")                      \
  X(FREFF, "freff", "-", 0, MBD_ANY, "effective rolling radius: slope at heavy load")                                  \
  /* scaling factors */                                                                                                \
  X(LMU, "lmu", "-", 1, MBD_POSITIVE, "scale of friction in all directions, on top of lmux and lmuy: the road's grip") \
  X(LFZO, "lfzo", "-", 1, MBD_POSITIVE, "scale of the nominal load")                                                   \
  X(LCX, "lcx", "-", 1, MBD_POSITIVE, "scale of the shape factor Cx")                                                  \
  X(LMUX, "lmux", "-", 1, MBD_POSITIVE, "scale of longitudinal friction")                                              \
  MF_SCALE(X, LEX, "lex", "scale of the curvature Ex")                                                                 \
  MF_SCALE(X, LKX, "lkx", "scale of the longitudinal slip stiffness Kx")                                               \
  MF_SCALE(X, LHX, "lhx", "scale of the shift SHx of slip")                                                            \
  MF_SCALE(X, LVX, "lvx", "scale of the shift SVx of Fx")                                                              \
  MF_SCALE(X, LGAX, "lgax", "scale of camber in Fx")                                                                   \
  X(LCY, "lcy", "-", 1, MBD_POSITIVE, "scale of the shape factor Cy")                                                  \
  X(LMUY, "lmuy", "-", 1, MBD_POSITIVE, "scale of lateral friction")                                                   \
  MF_SCALE(X, LEY, "ley", "scale of the curvature Ey")                                                                 \
  X(LKY, "lky", "-", 1, MBD_POSITIVE, "scale of the cornering stiffness Ky")                                           \
  MF_SCALE(X, LHY, "lhy", "scale of the shift SHy of the slip angle")                                                  \
  MF_SCALE(X, LVY, "lvy", "scale of the shift SVy of Fy")                                                              \
  MF_SCALE(X, LGAY, "lgay", "scale of camber in Fy")                                                                   \
  MF_SCALE(X, LTR, "ltr", "scale of the pneumatic trail")                                                              \
  MF_SCALE(X, LRES, "lres", "scale of the residual moment")                                                            \
  MF_SCALE(X, LGAZ, "lgaz", "scale of camber in Mz")                                                                   \
  MF_SCALE(X, LXAL, "lxal", "scale of the influence of the slip angle on Fx")                                          \
  MF_SCALE(X, LYKA, "lyka", "scale of the influence of slip on Fy")                                                    \
  MF_SCALE(X, LVYKA, "lvyka", "scale of the lateral force SVyk from slip")                                             \
  MF_SCALE(X, LS, "ls", "scale of the arm of Fx about the vertical")                                                   \
  MF_SCALE(X, LMX, "lmx", "scale of the overturning moment")                                                           \
  MF_SCALE(X, LVMX, "lvmx", "scale of the constant part of the overturning moment")                                    \
  MF_SCALE(X, LMY, "lmy", "scale of rolling resistance")                                                               \
  /* longitudinal */                                                                                                   \
  X(PCX1, "pcx1", "-", NAN, MBD_POSITIVE, "Fx: shape factor Cx")                                                       \
  X(PDX1, "pdx1", "-", NAN, MBD_POSITIVE, "Fx: friction at nominal load")                                              \
  MF_SHAPE(X, PDX2, "pdx2", "Fx: change of friction with load")                                                        \
  MF_SHAPE(X, PDX3, "pdx3", "Fx: loss of friction with camber squared")                                                \
  MF_SHAPE(X, PEX1, "pex1", "Fx: curvature Ex at nominal load")                                                        \
  MF_SHAPE(X, PEX2, "pex2", "Fx: change of Ex with load")                                                              \
  MF_SHAPE(X, PEX3, "pex3", "Fx: change of Ex with load squared")                                                      \
  MF_SHAPE(X, PEX4, "pex4", "Fx: difference of Ex between driving and braking")                                        \
  X(PKX1, "pkx1", "-", NAN, MBD_POSITIVE, "Fx: slip stiffness over load, at nominal load")                             \
  MF_SHAPE(X, PKX2, "pkx2", "Fx: change of slip stiffness with load")                                                  \
  MF_SHAPE(X, PKX3, "pkx3", "Fx: exponential change of slip stiffness with load")                                      \
  MF_SHAPE(X, PHX1, "phx1", "Fx: shift SHx at nominal load")                                                           \
  MF_SHAPE(X, PHX2, "phx2", "Fx: change of SHx with load")                                                             \
  MF_SHAPE(X, PVX1, "pvx1", "Fx: shift SVx over load, at nominal load")                                                \
  MF_SHAPE(X, PVX2, "pvx2", "Fx: change of SVx over load with load")                                                   \
  MF_SHAPE(X, RBX1, "rbx1", "Fx at combined slip: slope of the weight")                                                \
  MF_SHAPE(X, RBX2, "rbx2", "Fx at combined slip: change of the slope with slip")                                      \
  MF_SHAPE(X, RCX1, "rcx1", "Fx at combined slip: shape of the weight")                                                \
  MF_SHAPE(X, REX1, "rex1", "Fx at combined slip: curvature of the weight at nominal load")                            \
  MF_SHAPE(X, REX2, "rex2", "Fx at combined slip: change of that curvature with load")                                 \
  MF_SHAPE(X, RHX1, "rhx1", "Fx at combined slip: shift of the slip angle")                                            \
  /* overturning */                                                                                                    \
  MF_SHAPE(X, QSX1, "qsx1", "Mx: constant part")                                                                       \
  MF_SHAPE(X, QSX2, "qsx2", "Mx: part of camber")                                                                      \
  MF_SHAPE(X, QSX3, "qsx3", "Mx: part of the lateral force")                                                           \
  /* lateral */                                                                                                        \
  X(PCY1, "pcy1", "-", NAN, MBD_POSITIVE, "Fy: shape factor Cy")                                                       \
  X(PDY1, "pdy1", "-", NAN, MBD_POSITIVE, "Fy: friction at nominal load")                                              \
  MF_SHAPE(X, PDY2, "pdy2", "Fy: change of friction with load")                                                        \
  MF_SHAPE(X, PDY3, "pdy3", "Fy: loss of friction with camber squared")                                                \
  MF_SHAPE(X, PEY1, "pey1", "Fy: curvature Ey at nominal load")                                                        \
  MF_SHAPE(X, PEY2, "pey2", "Fy: change of Ey with load")                                                              \
  MF_SHAPE(X, PEY3, "pey3", "Fy: difference of Ey between left and right")                                             \
  MF_SHAPE(X, PEY4, "pey4", "Fy: change of that difference with camber")                                               \
  X(PKY1, "pky1", "-", NAN, MF_NEG, "Fy: greatest cornering stiffness over nominal load; negative: the force opposes") \
  X(PKY2, "pky2", "-", NAN, MBD_POSITIVE, "Fy: load over nominal load where the cornering stiffness is greatest")      \
  MF_SHAPE(X, PKY3, "pky3", "Fy: loss of cornering stiffness with camber")                                             \
  MF_SHAPE(X, PHY1, "phy1", "Fy: shift SHy at nominal load")                                                           \
  MF_SHAPE(X, PHY2, "phy2", "Fy: change of SHy with load")                                                             \
  MF_SHAPE(X, PHY3, "phy3", "Fy: change of SHy with camber")                                                           \
  MF_SHAPE(X, PVY1, "pvy1", "Fy: shift SVy over load, at nominal load")                                                \
  MF_SHAPE(X, PVY2, "pvy2", "Fy: change of SVy over load with load")                                                   \
  MF_SHAPE(X, PVY3, "pvy3", "Fy: change of SVy over load with camber")                                                 \
  MF_SHAPE(X, PVY4, "pvy4", "Fy: change of SVy over load with camber and load")                                        \
  MF_SHAPE(X, RBY1, "rby1", "Fy at combined slip: slope of the weight")                                                \
  MF_SHAPE(X, RBY2, "rby2", "Fy at combined slip: change of the slope with the slip angle")                            \
  MF_SHAPE(X, RBY3, "rby3", "Fy at combined slip: slip angle where the slope is greatest")                             \
  MF_SHAPE(X, RCY1, "rcy1", "Fy at combined slip: shape of the weight")                                                \
  MF_SHAPE(X, REY1, "rey1", "Fy at combined slip: curvature of the weight at nominal load")                            \
  MF_SHAPE(X, REY2, "rey2", "Fy at combined slip: change of that curvature with load")                                 \
  MF_SHAPE(X, RHY1, "rhy1", "Fy at combined slip: shift of slip at nominal load")                                      \
  MF_SHAPE(X, RHY2, "rhy2", "Fy at combined slip: change of that shift with load")                                     \
  MF_SHAPE(X, RVY1, "rvy1", "lateral force from slip: size at nominal load")                                           \
  MF_SHAPE(X, RVY2, "rvy2", "lateral force from slip: change with load")                                               \
  MF_SHAPE(X, RVY3, "rvy3", "lateral force from slip: change with camber")                                             \
  MF_SHAPE(X, RVY4, "rvy4", "lateral force from slip: decay with the slip angle")                                      \
  MF_SHAPE(X, RVY5, "rvy5", "lateral force from slip: shape over slip")                                                \
  MF_SHAPE(X, RVY6, "rvy6", "lateral force from slip: slope over slip")                                                \
  /* rolling resistance */                                                                                             \
  MF_SHAPE(X, QSY1, "qsy1", "My: coefficient of rolling resistance")                                                   \
  MF_SHAPE(X, QSY2, "qsy2", "My: part of Fx")                                                                          \
  MF_SHAPE(X, QSY3, "qsy3", "My: part of speed")                                                                       \
  MF_SHAPE(X, QSY4, "qsy4", "My: part of the fourth power of speed")                                                   \
  /* aligning */                                                                                                       \
  MF_SHAPE(X, QBZ1, "qbz1", "trail: slope Bt at nominal load")                                                         \
  MF_SHAPE(X, QBZ2, "qbz2", "trail: change of Bt with load")                                                           \
  MF_SHAPE(X, QBZ3, "qbz3", "trail: change of Bt with load squared")                                                   \
  MF_SHAPE(X, QBZ4, "qbz4", "trail: change of Bt with camber")                                                         \
  MF_SHAPE(X, QBZ5, "qbz5", "trail: change of Bt with the size of camber")                                             \
  MF_SHAPE(X, QBZ9, "qbz9", "residual moment: slope Br")                                                               \
  MF_SHAPE(X, QBZ10, "qbz10", "residual moment: part of Br from By Cy")                                                \
  MF_SHAPE(X, QCZ1, "qcz1", "trail: shape factor Ct")                                                                  \
  MF_SHAPE(X, QDZ1, "qdz1", "trail: its size, over R0 Fz/Fz0, at nominal load")                                        \
  MF_SHAPE(X, QDZ2, "qdz2", "trail: change of its size with load")                                                     \
  MF_SHAPE(X, QDZ3, "qdz3", "trail: change of its size with camber")                                                   \
  MF_SHAPE(X, QDZ4, "qdz4", "trail: change of its size with camber squared")                                           \
  MF_SHAPE(X, QDZ6, "qdz6", "residual moment: its size, over R0 Fz, at nominal load")                                  \
  MF_SHAPE(X, QDZ7, "qdz7", "residual moment: change with load")                                                       \
  MF_SHAPE(X, QDZ8, "qdz8", "residual moment: change with camber")                                                     \
  MF_SHAPE(X, QDZ9, "qdz9", "residual moment: change with camber and load")                                            \
  MF_SHAPE(X, QEZ1, "qez1", "trail: curvature Et at nominal load")                                                     \
  MF_SHAPE(X, QEZ2, "qez2", "trail: change of Et with load")                                                           \
  MF_SHAPE(X, QEZ3, "qez3", "trail: change of Et with load squared")                                                   \
  MF_SHAPE(X, QEZ4, "qez4", "trail: difference of Et between left and right")                                          \
  MF_SHAPE(X, QEZ5, "qez5", "trail: change of that difference with camber")                                            \
  MF_SHAPE(X, QHZ1, "qhz1", "trail: shift SHt at nominal load")                                                        \
  MF_SHAPE(X, QHZ2, "qhz2", "trail: change of SHt with load")                                                          \
  MF_SHAPE(X, QHZ3, "qhz3", "trail: change of SHt with camber")                                                        \
  MF_SHAPE(X, QHZ4, "qhz4", "trail: change of SHt with camber and load")                                               \
  MF_SHAPE(X, SSZ1, "ssz1", "arm of Fx about the vertical, over R0")                                                   \
  MF_SHAPE(X, SSZ2, "ssz2", "arm of Fx: change with Fy/Fz0")                                                           \
  MF_SHAPE(X, SSZ3, "ssz3", "arm of Fx: change with camber")                                                           \
  MF_SHAPE(X, SSZ4, "ssz4", "arm of Fx: change with camber and load")                                                  \
  /* transient slip */                                                                                                 \
  TYRE_RELAXATION(X)                                                                                                   \
  X(RELAXATION_SCALE, "relaxation_scale", "-", 0, MBD_NOT_NEGATIVE,                                                    \
    "scale of the relaxation lengths by ptx1 to pty2, which are added to those above; 0: none of them; not from the "  \
    "file")                                                                                                            \
  MF_SCALE(X, LSGKP, "lsgkp", "scale of the relaxation length of slip")                                                \
  MF_SCALE(X, LSGAL, "lsgal", "scale of the relaxation length of the slip angle")                                      \
  MF_SHAPE(X, PTX1, "ptx1", "relaxation length of slip over R0 Fz/Fz0, at nominal load")                               \
  MF_SHAPE(X, PTX2, "ptx2", "relaxation length of slip: change with load")                                             \
  MF_SHAPE(X, PTX3, "ptx3", "relaxation length of slip: exponential change with load")                                 \
  MF_SHAPE(X, PTY1, "pty1", "greatest relaxation length of the slip angle over R0")                                    \
  X(PTY2, "pty2", "-", 1, MBD_POSITIVE,                                                                                \
    "load over nominal load where the relaxation length of the slip angle is greatest")

enum {
#define X(name, ...) name,
  MF_COEFS(X)
#undef X
};

#endif
