/* Templates of `mbopt new`: a run file NAME.ini and a model file NAME_model.ini in templates/, which cmake/assets.cmake makes part of
 * the program. A new template is two files there and a row here. Those of linkages may share the
 * model file of another one, which the row names, and have a table of precision points, NAME.csv, except for dwells. */
#ifndef MBO_CLI_TEMPLATES_H
#define MBO_CLI_TEMPLATES_H

#define CLI_TEMPLATES(X)                                                                                        \
  X(corner, "double-wishbone suspension of one wheel: toe and camber over its travel")                          \
  X(kc_axle_double_wishbone, "axle with double wishbones: toe, camber, roll centre over bump, roll and steer")  \
  X(kc_axle_macpherson, "axle with MacPherson struts: toe, camber, roll centre over bump, roll and steer")      \
  X(kc_axle_five_link, "rear axle with five links for each wheel: toe, camber, roll centre over bump and roll") \
  X(kc_axle_trailing_arm,                                                                                       \
    "rear axle with trailing or semi-trailing arms: toe, camber, roll centre over bump and roll")               \
  X(kc_axle_semi_trailing, "rear axle with semi-trailing arms: toe, camber, roll centre over bump and roll")    \
  X(kc_axle_rigid_axle, "rigid axle on links with a Panhard rod: roll centre, roll steer, lateral shift")       \
  X(four_bar, "four-bar linkage with a driven crank: lengths that make its rocker swing as wanted")             \
  X(slider_crank, "crank, rod and slider: a spring that takes the slider's inertia off the motor")              \
  X(quarter_car, "body, wheel and tyre over a kerb and waves: spring and damper")                               \
  X(vehicle, "car with four wheels over a bump: springs and dampers, front and rear")                           \
  X(handling, "car that is steered by manoeuvres of standards: anti-roll bars and dampers, tyres, a driver")    \
  X(ride, "car on random roads of ISO 8608 at two speeds: springs and dampers, comfort by ISO 2631")            \
  X(robot, "arm of two links: torques over time that bring its hand to a place, to rest there")                 \
  X(servo, "motor that lifts an arm: gains of its controller, with a lag and a limit of its torque")

#define CLI_LINKAGES(X)                                                                                             \
  X(linkage_four_bar_path, linkage_four_bar_path,                                                                   \
    "four-bar linkage whose coupler takes a point through those of a table")                                        \
  X(linkage_four_bar_motion, linkage_four_bar_path,                                                                 \
    "four-bar linkage that carries a body through places and directions")                                           \
  X(linkage_four_bar_function, linkage_four_bar_function,                                                           \
    "four-bar linkage whose follower turns by a function of its crank")                                             \
  X(linkage_slider_function, linkage_slider_function, "slider-crank whose slide moves by a function of its crank")  \
  X(linkage_stephenson_path, linkage_stephenson,                                                                    \
    "six-bar linkage (Stephenson III) that takes a point through those of a table")                                 \
  X(linkage_stephenson_motion, linkage_stephenson,                                                                  \
    "six-bar linkage (Stephenson III) that carries a body through places and directions")                           \
  X(linkage_stephenson_function, linkage_stephenson,                                                                \
    "six-bar linkage (Stephenson III) whose rocker turns by a function of its crank")                               \
  X(linkage_watt_path, linkage_watt_path, "six-bar linkage (Watt I) that takes a point through those of a table")   \
  X(linkage_watt_motion, linkage_watt_path,                                                                         \
    "six-bar linkage (Watt I) that carries a body through places and directions")                                   \
  X(linkage_watt_function, linkage_watt, "six-bar linkage (Watt II) whose rocker turns by a function of its crank") \
  X(linkage_geared_five_bar_path, linkage_geared_five_bar,                                                          \
    "five-bar linkage with geared cranks that takes a point through those of a table")                              \
  X(linkage_geared_five_bar_motion, linkage_geared_five_bar,                                                        \
    "five-bar linkage with geared cranks that carries a body through places and directions")                        \
  X(linkage_rssr_function, linkage_rssr_function,                                                                   \
    "spatial four-bar linkage (RSSR) whose follower turns by a function of its crank")

#define CLI_DWELLS(X)                                                                              \
  X(linkage_stephenson_dwell, linkage_stephenson,                                                  \
    "six-bar linkage (Stephenson III) whose rocker rests during a part of each turn of its crank") \
  X(linkage_watt_dwell, linkage_watt,                                                              \
    "six-bar linkage (Watt II) whose rocker rests during a part of each turn of its crank")

#define X(name, doc) extern const char cli_template_##name##_ini[], cli_template_##name##_model_ini[];
CLI_TEMPLATES(X)
#undef X
#define X(name, model, doc) \
  extern const char cli_template_##name##_ini[], cli_template_##name##_csv[], cli_template_##model##_model_ini[];
CLI_LINKAGES(X)
#undef X
#define X(name, model, doc) extern const char cli_template_##name##_ini[], cli_template_##model##_model_ini[];
CLI_DWELLS(X)
#undef X

/* Words of names of hard points, and what stands for each in those of the parts ("-": nothing), in the order in which they are exchanged. */
extern const char cli_template_point_names_txt[];

typedef struct cli_template {
  const char *name, *doc;
  const char *run, *model; /* texts of the two files */
  const char *table;       /* of precision points; NULL: there is none */
} cli_template;

/* NULL past the end. */
const cli_template *cli_template_at(int i);

#endif
