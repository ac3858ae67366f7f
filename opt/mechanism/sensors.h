/* Sensors: measurements that could be made, [sensor NAME]. Their outputs are those of their cases (mechanism_case.sensor). */
#ifndef MBO_SENSORS_H
#define MBO_SENSORS_H

#include "mechanism/mechanism.h"

/* The duration of a case at the design that is set [s]. */
double sensor_duration(const mechanism_case *load);

/* How many samples of a sensor node k of its case stands for: 0 outside of its times; 1 without a rate; else rate duration/steps, at the ends
 * of its times half of it, which is the trapezoidal rule of an integral over time. */
double sensor_samples(const mbo_sensor_config *sensor, const mechanism_case *load, int k);

#endif
