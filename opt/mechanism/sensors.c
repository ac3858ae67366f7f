#include "mechanism/sensors.h"

#include <math.h>

/* 1: node k is within the times of the sensor, the text of which may be off by a billionth of the duration. */
static int is_within(const mbo_sensor_config *sensor, int k, int steps, double duration) {
  const double t = duration * k / steps, slack = 1e-9 * duration;
  return k >= 0 && k <= steps && t >= sensor->from - slack && t <= sensor->until + slack;
}

double sensor_duration(const mechanism_case *load) {
  return load->c.free_duration ? load->v->theta[load->c.free_duration - 1] : load->c.duration;
}

double sensor_samples(const mbo_sensor_config *sensor, const mechanism_case *load, int k) {
  const int steps = mbd_sim_steps(load->sim), here = is_within(sensor, k, steps, sensor_duration(load));
  if (!here || isnan(sensor->rate)) { return here; }
  const int neighbours =
      is_within(sensor, k - 1, steps, sensor_duration(load)) + is_within(sensor, k + 1, steps, sensor_duration(load));
  return sensor->rate * sensor_duration(load) / steps * neighbours / 2;
}
