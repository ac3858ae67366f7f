/* The engine of reports that stay small has no complex-step library: what needs it says so. */
#include "mbd/referee.h"

static const char why[] =
    "the engine of this page has no complex arithmetic, which modes, second derivatives and `complex_step` need";

mbd_status mbd_referee_create_sized(const mbd_spec *s, const mbd_case *c, size_t case_size, int nname,
                                    const char *const *name, int nterm, const mbd_term *term, size_t term_size,
                                    int npsi, mbd_referee **out, mbd_error *err) {
  (void)s, (void)c, (void)case_size, (void)nname, (void)name, (void)nterm, (void)term, (void)term_size, (void)npsi;
  *out = NULL;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}
mbd_status mbd_referee_inverse_create(const mbd_spec *s, mbd_reference reference, mbd_referee_inverse **out,
                                      mbd_error *err) {
  (void)s, (void)reference;
  *out = NULL;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}

/* Nobody has one to pass to these. */
void mbd_referee_destroy(mbd_referee *r) {
  (void)r;
}
void mbd_referee_inverse_destroy(mbd_referee_inverse *r) {
  (void)r;
}
mbd_status mbd_referee_derivative(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                  double *psi, double *dpsi, mbd_error *err) {
  (void)r, (void)theta, (void)n, (void)index, (void)value, (void)psi, (void)dpsi;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}
mbd_status mbd_referee_second_sized(mbd_referee *r, const double *theta, const mbd_adjoint_options *o, size_t size,
                                    int n, const int *index, const double *value, double *psi, double *gtheta,
                                    double *dgtheta, mbd_error *err) {
  (void)r, (void)theta, (void)o, (void)size, (void)n, (void)index, (void)value, (void)psi, (void)gtheta, (void)dgtheta;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}
mbd_status mbd_referee_linearize(mbd_referee *r, const double *theta, int n, const int *index, const double *value,
                                 int *order, double **A, double **dA, mbd_error *err) {
  (void)r, (void)theta, (void)n, (void)index, (void)value, (void)order, (void)A, (void)dA;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}
mbd_status mbd_referee_modes(mbd_referee *r, const double *theta, int ncolumn, int nmode, const double *const *vectors,
                             const double *weight, const unsigned char *requested, double *gtheta, mbd_error *err) {
  (void)r, (void)theta, (void)ncolumn, (void)nmode, (void)vectors, (void)weight, (void)requested, (void)gtheta;
  MBD_FAIL(err, MBD_NOT_BUILT_IN, "%s", why);
}
