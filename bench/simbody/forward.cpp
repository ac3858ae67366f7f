/* Forward dynamics beside Simbody's: the same mechanisms in both, first that accelerations agree, then the time of an evaluation, in turn, the
 * least of many passes; then whole simulations, by the tolerance: Simbody's Runge-Kutta-Merson and mbopt's Dormand-Prince.
 *
 *   bench_simbody RUN.ini     a five-bar linkage, for the closed loop (bench/sundials/five_bar.ini)
 *
 * Trees are those of bench.h: Pin mobilizers. The closed loop is the chain of its joints with the last one cut, closed by two PointInPlane
 * constraints, without redundant equations. mbopt's evaluation of the loop also closes the position, which Simbody leaves to its integrator. */
#include <Simbody.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "own.h"

using namespace SimTK;

namespace {

const int MOTIONS = 64, PASSES = 60;

struct mechanism {
  MultibodySystem system;
  SimbodyMatterSubsystem matter;
  GeneralForceSubsystem forces;
  std::vector<MobilizedBody::Pin> body;
  std::vector<int> place; /* of body i in mbopt's z */
  State state;
  mechanism() : matter(system), forces(system) {}
};

/* A pin about `axis`: its frames have their z there. */
Transform pin(const Vec3 &axis, const Vec3 &at) {
  return Transform(Rotation(UnitVec3(axis), ZAxis), at);
}

Body::Rigid rigid(double mass, const Vec3 &com, const Inertia &about_com) {
  return Body::Rigid(MassProperties(mass, com, about_com.shiftFromMassCenter(com, mass)));
}

void build_tree(mechanism &s, const own *q, int bodies, bool human) {
  Force::UniformGravity gravity(s.forces, s.matter, Vec3(0, 0, -9.81));
  for (int i = 0; i < bodies; i++) {
    double mass, com[3], I[6], at[3], axis[3];
    const int parent = i == 0 ? -1 : human ? own_parent(i) : i - 1;
    own_link(i, &mass, com, I, at, axis);
    MobilizedBody &on = parent < 0 ? static_cast<MobilizedBody &>(s.matter.updGround()) : s.body[(size_t)parent];
    const Vec3 a(axis[0], axis[1], axis[2]);
    s.body.push_back(MobilizedBody::Pin(
        on, pin(a, Vec3(at[0], at[1], at[2])),
        rigid(mass, Vec3(com[0], com[1], com[2]), Inertia(I[0], I[1], I[2], I[3], I[4], I[5])), pin(a, Vec3(0))));
    s.place.push_back(own_coordinate(q, i));
  }
  s.state = s.system.realizeTopology();
}

/* problems/five_bar: the numbers of its model file */
void build_five_bar(mechanism &s) {
  const double L[4] = {std::sqrt(2.0), std::sqrt(3.25), std::sqrt(3.25), std::sqrt(2.0)}, m[4] = {1, 1.5, 1.5, 1};
  const Vec3 z(0, 0, 1), B(1, 0, 0);
  Force::UniformGravity gravity(s.forces, s.matter, Vec3(0, -9.81, 0));
  for (int i = 0; i < 4; i++) {
    const double length = L[i], I = m[i] * (i % 3 == 0 ? 2.0 : 3.25) / 12;
    MobilizedBody &on = i == 0 ? static_cast<MobilizedBody &>(s.matter.updGround()) : s.body[(size_t)i - 1];
    s.body.push_back(
        MobilizedBody::Pin(on, pin(z, Vec3(i == 0 ? 0 : L[i - 1], 0, 0)),
                           rigid(m[i], Vec3(length / 2, 0, 0), Inertia(I, I, I)), /* planar: I about z counts */
                           pin(z, Vec3(i == 3 ? length : 0, 0, 0))));
    s.place.push_back(i);
  }
  MobilizedBody &ground = s.matter.updGround();
  Constraint::PointInPlane x(ground, UnitVec3(1, 0, 0), B[0], s.body[3], Vec3(0)),
      y(ground, UnitVec3(0, 1, 0), B[1], s.body[3], Vec3(0));
  Force::TwoPointLinearSpring s1(s.forces, ground, B, s.body[0], Vec3(L[0], 0, 0), 100, std::sqrt(5.0));
  Force::TwoPointLinearSpring s2(s.forces, ground, B, s.body[1], Vec3(L[1], 0, 0), 100, std::sqrt(17.0) / 2);
  s.state = s.system.realizeTopology();
}

void set(mechanism &s, const double *z, const double *zd) {
  for (size_t i = 0; i < s.body.size(); i++) {
    s.body[i].setOneQ(s.state, 0, z[s.place[i]]);
    s.body[i].setOneU(s.state, 0, zd[s.place[i]]);
  }
}

double rate_of(const mechanism &s, size_t i) {
  return s.body[i].getOneUDot(s.state, 0);
}

/* One row: agreement at all motions, and the times. */
void compare(const char *name, mechanism &s, int count, own *const *q, const char *const *formulation,
             const std::vector<double> &z, const std::vector<double> &zd) {
  const size_t n = s.body.size();
  std::vector<double> zdd(n);
  double apart = 0, size = 0, least = INFINITY, own_least[4] = {INFINITY, INFINITY, INFINITY, INFINITY};
  for (size_t k = 0; k < MOTIONS; k++) {
    set(s, &z[k * n], &zd[k * n]);
    s.system.realize(s.state, Stage::Acceleration);
    for (int j = 0; j < count; j++) {
      own_accelerations(q[j], &z[k * n], &zd[k * n], zdd.data());
      for (size_t i = 0; i < n; i++) {
        apart = std::fmax(apart, std::fabs(zdd[(size_t)s.place[i]] - rate_of(s, i)));
        size = std::fmax(size, std::fabs(zdd[(size_t)s.place[i]]));
      }
    }
  }
  for (int pass = 0; pass < PASSES; pass++) {
    double begun = own_now();
    for (size_t k = 0; k < MOTIONS; k++) {
      set(s, &z[k * n], &zd[k * n]);
      s.system.realize(s.state, Stage::Acceleration);
    }
    least = std::fmin(least, own_now() - begun);
    for (int j = 0; j < count; j++) {
      begun = own_now();
      for (size_t k = 0; k < MOTIONS; k++) { own_accelerations(q[j], &z[k * n], &zd[k * n], zdd.data()); }
      own_least[j] = std::fmin(own_least[j], own_now() - begun);
    }
  }
  for (int j = 0; j < count; j++) {
    std::printf("| %s | %s | %.1f | %.1f | %.2f | %.1e |\n", name, formulation[j], 1e6 * own_least[j] / MOTIONS,
                1e6 * least / MOTIONS, own_least[j] / least, apart / size);
  }
}

/* Simulations: errors at the end, relative to the largest coordinate, by tolerance. */
void simulate(const char *name, mechanism &s, own *q) {
  const size_t n = s.body.size();
  std::vector<double> z0(n), zd0(n), end(n), endd(n), z(n), zd(n);
  own_simulate(q, 1e-13, 20, end.data(), endd.data(), nullptr, nullptr);
  own_start(q, z0.data(), zd0.data());
  double size = 0;
  for (double x : end) { size = std::fmax(size, std::fabs(x)); }
  for (double tolerance = 1e-3; tolerance > 3e-11; tolerance /= 100) {
    double best = INFINITY, own_best = INFINITY, error = 0, own_error = 0;
    long steps = 0, own_steps = 0;
    for (int round = 0; round < 5; round++) {
      RungeKuttaMersonIntegrator integrator(s.system);
      integrator.setAccuracy(tolerance);
      integrator.setConstraintTolerance(std::fmin(tolerance, 1e-3));
      set(s, z0.data(), zd0.data());
      s.state.setTime(0);
      double begun = own_now();
      integrator.initialize(s.state);
      while (integrator.getTime() < own_duration(q)) { integrator.stepTo(own_duration(q)); }
      best = std::fmin(best, own_now() - begun);
      steps = integrator.getNumStepsTaken();
      error = 0;
      for (size_t i = 0; i < n; i++) {
        error = std::fmax(error, std::fabs(s.body[i].getOneQ(integrator.getState(), 0) - end[(size_t)s.place[i]]));
      }
      begun = own_now();
      own_steps = own_simulate(q, tolerance, 20, z.data(), zd.data(), nullptr, nullptr);
      own_best = std::fmin(own_best, own_now() - begun);
      own_error = 0;
      for (size_t i = 0; i < n; i++) { own_error = std::fmax(own_error, std::fabs(z[i] - end[i])); }
    }
    std::printf("| %s | %.0e | %ld | %.2f | %.1e | %ld | %.2f | %.1e |\n", name, tolerance, own_steps, 1e3 * own_best,
                own_error / size, steps, 1e3 * best, error / size);
  }
}

void of_tree(const char *name, int bodies, bool human, bool simulations) {
  const char *const formulation[] = {"semi_recursive", "fully_recursive"};
  own *q[2];
  for (int j = 0; j < 2; j++) { q[j] = own_tree(bodies, human ? 0 : 1, formulation[j]); }
  mechanism s;
  build_tree(s, q[0], bodies, human);
  if (simulations) {
    simulate(name, s, q[bodies > 20]);
  } else {
    std::vector<double> z, zd;
    for (int k = 0; k < MOTIONS; k++) {
      for (int i = 0; i < bodies; i++) {
        z.push_back(std::sin(0.3 * k + 1.7 * i)), zd.push_back(std::cos(0.2 * k + 2.1 * i));
      }
    }
    compare(name, s, 2, q, formulation, z, zd);
  }
  for (own *each : q) { own_close(each); }
}

void of_five_bar(const char *path, bool simulations) {
  const char *const formulation[] = {"matrix_r"};
  own *q[] = {own_file(path, formulation[0])};
  mechanism s;
  build_five_bar(s);
  if (simulations) {
    simulate("five-bar", s, q[0]);
  } else {
    std::vector<double> end(4), endd(4), z(4 * (MOTIONS + 1)), zd(4 * (MOTIONS + 1));
    own_simulate(q[0], 1e-12, MOTIONS, end.data(), endd.data(), z.data(), zd.data());
    compare("five-bar", s, 1, q, formulation, z, zd);
  }
  own_close(q[0]);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) { return std::fprintf(stderr, "bench_simbody RUN.ini\n"), 2; }
  std::printf(
      "| mechanism | mbopt's formulation | mbopt [us] | Simbody [us] | mbopt/Simbody | accelerations apart "
      "|\n|---|---|---:|---:|---:|---:|\n");
  of_tree("chain of 6", 6, false, false);
  of_tree("chain of 20", 20, false, false);
  of_tree("tree of 43", 43, true, false);
  of_tree("chain of 96", 96, false, false);
  of_five_bar(argv[1], false);
  std::printf(
      "\n| mechanism | tolerance | mbopt: steps | ms | error | Simbody: steps | ms | error "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
  of_tree("chain of 6", 6, false, true);
  of_five_bar(argv[1], true);
  return 0;
}
