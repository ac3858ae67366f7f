/* Parts that are in the program: the files of parts/, which cmake/assets.cmake makes part of it. [part NAME] names them by `use`. A new one
 * is a file there, whose [model] has a title, and a word here. */
#ifndef MBO_SHIPPED_PARTS_H
#define MBO_SHIPPED_PARTS_H

/* clang-format off */
#define SHIPPED_PARTS(X)   \
  X(integrator)            \
  X(pi)                    \
  X(pid)                   \
  X(saturation)            \
  X(lag)                   \
  X(lag_2)                 \
  X(lead_lag)              \
  X(transfer_function)     \
  X(state_space)           \
  X(delay)                 \
  X(butterworth_low_pass)  \
  X(butterworth_high_pass) \
  X(running_rms)           \
  X(iso_2631_weighting)    \
  X(iso_2631_wk)           \
  X(iso_2631_wd)           \
  X(iso_2631_wf)           \
  X(electric_motor)        \
  X(damper_lag)            \
  X(speed_control)         \
  X(relaxation)            \
  X(preview_driver)        \
  X(manoeuvres)            \
  X(calspan_tyre)          \
  X(rolling_ball)          \
  X(rolling_disc)          \
  X(rolling_on_road)       \
  X(wheel_characteristics) \
  X(steering_axis)         \
  X(axle_characteristics)  \
  X(wheel_rate)            \
  X(contact_load)          \
  X(wheel_slopes)          \
  X(axle_compliance)       \
  X(double_wishbone)       \
  X(macpherson)            \
  X(five_link)             \
  X(trailing_arm)          \
  X(road_wheel) X(spring_and_damper) X(multi_link) X(three_link) X(pitman_arm) X(rack) X(rotary_arm) \
  X(guided_axle) X(bell_crank) X(relay_crank) \
  X(rigid_axle) X(rigid_axle_characteristics) X(watt_linkage) X(kingpin) X(drag_link) X(wheel_carrier) \
  X(measured_damper) X(leaf_spring) X(leaf_links) X(two_stage_stop) X(stabilizer) X(stabilizer_bushings) \
  X(cardan_joint) X(cardan_shaft) X(constant_velocity_joint) X(constant_velocity_shaft) \
  X(roller_follower) X(flat_follower) X(rocker_follower) X(noncircular_gears) \
  X(flywheel) X(harmonic) X(balancing_spring) X(force_balance)
/* clang-format on */

#define X(name) extern const char shipped_part_##name##_ini[];
SHIPPED_PARTS(X)
#undef X

/* Tyres that are in the program: the property files of parts/, which `tir = NAME` names. The first line of each is "! title = ...". */
#define SHIPPED_TYRES(X) \
  X(passenger_car)       \
  X(truck)

#define X(name) extern const char shipped_part_##name##_tir[];
SHIPPED_TYRES(X)
#undef X

const char *shipped_tyre_name(int i); /* NULL past the end */
const char *shipped_tyre_text(int i);

const char *shipped_part_name(int i); /* NULL past the end */
const char *shipped_part_text(int i);

/* The title in the text of a part or of a tyre: its first n characters. */
const char *shipped_title(const char *text, int *n);

/* What stands in place of a path for part i, in messages and in lists of files: "pid (a part of mbopt)", in new memory; NULL: no memory. */
char *shipped_part_path(int i);

/* The text of the part that has this in place of a path; NULL: it is the path of a file. */
const char *shipped_part_at(const char *path);

#endif
