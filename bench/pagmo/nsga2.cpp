/* How many designs NSGA-II (pagmo) takes until its population has the hypervolume of a front that is given: bench/fronts.
 *
 *   bench_nsga2 RUN.ini POPULATION DESIGNS SEED... < FRONT
 *
 * FRONT: a line with both objectives for each point, the anchors among them. Objectives are scaled by the least and the largest of these, and the
 * hypervolume is that up to (1.1, 1.1). For each seed a line: the designs, "-" where DESIGNS are not enough, and the part of the hypervolume that was reached. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <mbo/run.h>
#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>

namespace {

using point = std::pair<double, double>;

mbo_run *run;
const mbo_problem *described;
point low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};

/* What pagmo asks of a problem. A design that cannot be simulated is far from the front. */
struct objectives {
  pagmo::vector_double fitness(const pagmo::vector_double &x) const {
    double f, psi[2];
    mbd_error err;
    if (mbo_run_values(run, x.data(), &f, psi, &err) != MBD_OK) { return {1e9, 1e9}; }
    return {(psi[0] - low.first) / (high.first - low.first), (psi[1] - low.second) / (high.second - low.second)};
  }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    const double *below = described->lower, *above = described->upper;
    return {{below, below + described->n}, {above, above + described->n}};
  }
  pagmo::vector_double::size_type get_nobj() const { return 2; }
};

/* The area that points dominate, up to (1.1, 1.1). */
double hypervolume(std::vector<point> points) {
  const double to = 1.1;
  double area = 0, above = to;
  std::sort(points.begin(), points.end());
  for (const point &p : points) {
    if (p.first >= to || p.second >= above) { continue; }
    area += (to - p.first) * (above - p.second);
    above = p.second;
  }
  return area;
}

double hypervolume_of(const pagmo::population &all) {
  std::vector<point> points;
  for (const auto &f : all.get_f()) { points.emplace_back(f[0], f[1]); }
  return hypervolume(points);
}

} // namespace

int main(int argc, char **argv) {
  mbd_error err;
  std::vector<point> front;
  double f1, f2;
  if (argc < 5) { return std::fprintf(stderr, "usage: bench_nsga2 RUN.ini POPULATION DESIGNS SEED... < FRONT\n"), 3; }
  if (mbo_run_open(argv[1], 0, nullptr, &run, &err) != MBD_OK) { return std::fprintf(stderr, "%s\n", err.text), 1; }
  described = mbo_run_problem(run);
  while (std::scanf("%lf %lf", &f1, &f2) == 2) {
    front.emplace_back(f1, f2);
    low = {std::min(low.first, f1), std::min(low.second, f2)};
    high = {std::max(high.first, f1), std::max(high.second, f2)};
  }
  for (point &p : front) {
    p = {(p.first - low.first) / (high.first - low.first), (p.second - low.second) / (high.second - low.second)};
  }
  const double wanted = hypervolume(front);
  const unsigned size = (unsigned)std::atoi(argv[2]), max = (unsigned)std::atoi(argv[3]);
  for (int i = 4; i < argc; i++) {
    const unsigned seed = (unsigned)std::atoi(argv[i]);
    pagmo::population all(pagmo::problem(objectives{}), size, seed);
    /* pagmo's own settings, but for mutations: one variable in a design, as its authors have it. */
    const double mutation = 1.0 / described->n;
    const pagmo::algorithm one(pagmo::nsga2(1, 0.95, 10, mutation, 50, seed));
    while (hypervolume_of(all) < wanted && all.get_problem().get_fevals() < max) { all = one.evolve(all); }
    const double reached = hypervolume_of(all) / wanted;
    const unsigned long long designs = all.get_problem().get_fevals();
    reached < 1 ? std::printf("-") : std::printf("%llu", designs);
    std::printf(" %.5f\n", reached);
  }
  mbo_run_close(run);
  return 0;
}
