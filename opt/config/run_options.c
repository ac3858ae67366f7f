/* The rows of the options of run files. */
#include <math.h>
#include <string.h>

#include "config/options.h"
#include "scatter/measure.h"

#define BIG 1e300

/* A row for a field of a section's struct: the same name is its key. */
#define FIELD(type_, field, key_, kind, dflt_, unit_, doc_) \
  .key = (key_), .type = (kind), .offset = offsetof(type_, field), .dflt = (dflt_), .unit = (unit_), .doc = (doc_)
#define NUMBER(type, field, dflt, lo, hi, unit, doc) \
  { FIELD(type, field, #field, OPTION_NUMBER, dflt, unit, doc), .min = (lo), .max = (hi) }
#define INTEGER(type, field, dflt, lo, hi, doc) \
  { FIELD(type, field, #field, OPTION_INTEGER, dflt, "", doc), .min = (lo), .max = (hi) }
#define TEXT(type, field, dflt, doc) \
  { FIELD(type, field, #field, OPTION_TEXT, dflt, "", doc) }
#define NAMES(type, field, dflt, doc) \
  { FIELD(type, field, #field, OPTION_NAMES, dflt, "", doc) }
#define PAIRS(type, field, key, doc) \
  { FIELD(type, field, key, OPTION_PAIRS, "", "", doc) }
#define CHOICE(type, field, dflt, words_, doc)                                             \
  {                                                                                        \
    FIELD(type, field, #field, OPTION_CHOICE, dflt, "", doc), .words = {.word = (words_) } \
  }
#define CHOICE_OF(type, field, dflt, table, doc)                         \
  {                                                                      \
    FIELD(type, field, #field, OPTION_CHOICE, dflt, "", doc), .words = { \
      .at = mbd_##table##_name,                                          \
      .doc_at = mbd_##table##_doc                                        \
    }                                                                    \
  }
#define YES_NO(type, field, dflt, doc)                                                                \
  {                                                                                                   \
    FIELD(type, field, #field, OPTION_BOOLEAN, dflt, "", doc), .words = {.word = WORDS("yes", "no") } \
  }
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* The same for a field of mbd_case, which is part of a case. */
#define CASE(field, kind, dflt, unit, doc) FIELD(mbo_case_config, simulation.field, #field, kind, dflt, unit, doc)
#define CASE_NUMBER(field, dflt, lo, hi, unit, doc) \
  { CASE(field, OPTION_NUMBER, dflt, unit, doc), .min = (lo), .max = (hi) }
#define CASE_ENUM(field, dflt, words_, doc)                               \
  {                                                                       \
    CASE(field, OPTION_ENUM, dflt, "", doc), .words = {.word = (words_) } \
  }
#define CASE_CHOICE(field, dflt, table, doc)                                                                     \
  {                                                                                                              \
    CASE(field, OPTION_CHOICE, dflt, "", doc), .words = {.at = mbd_##table##_name, .doc_at = mbd_##table##_doc } \
  }

#define END \
  { .key = NULL }

static const option_row model_rows[] = {
    TEXT(mbo_model_config, file, NULL, "model file, relative to this file"),
    END,
};

static const option_row plugin_rows[] = {
    TEXT(mbo_plugin_config, file, NULL, "library that `mbopt plugin FILE.c` has made, relative to this file"),
    END,
};

static const option_row quantity_rows[] = {
    TEXT(mbo_quantity_config, value, NULL,
         "expression of outputs, scalars, other quantities and `time`, as in [quantity NAME] of model files"),
    TEXT(mbo_quantity_config, unit, "", "unit of the value"),
    TEXT(mbo_quantity_config, curve, "", "curve of the model, which is taken at `value`"),
    INTEGER(mbo_quantity_config, derivative, "0", 0, 2, "of the curve by its argument: 1 is its slope"),
    TEXT(mbo_quantity_config, argument_unit, "",
         "unit of `value` where a curve is taken there, for curves of files with units = mm"),
    END,
};

static const option_row state_rows[] = {
    TEXT(mbo_state_config, rate, NULL,
         "its rate, as in [state NAME] of model files: an expression of outputs of positions and velocities, "
         "quantities, states, scalars and `time`"),
    TEXT(mbo_state_config, start, "", "its value at the start, as there"),
    TEXT(mbo_state_config, unit, "", "unit of its value"),
    END,
};

static const option_row design_rows[] = {
    TEXT(mbo_design_config, scalar, "", "scalar of the model that varies; left out: the name of this section"),
    TEXT(mbo_design_config, curve, "",
         "curve of the model instead: each of its control points becomes a variable, NAME.1 ... NAME.N, with these "
         "bounds"),
    INTEGER(mbo_design_config, first, "1", 1, 100000000,
            "with `curve`: the first control point that varies; those before keep the model's values"),
    INTEGER(mbo_design_config, last, "0", 0, 100000000,
            "with `curve`: the last control point that varies, so `points - 3` where the curve has `points = points` "
            "and its last three stay; 0: the last of all"),
    NUMBER(mbo_design_config, start, "", -BIG, BIG, "", "value to start from; left out: the model's"),
    NUMBER(
        mbo_design_config, lower, "-inf", -INFINITY, INFINITY, "",
        "lower bound; in expressions here every scalar has its value in the model, so that `z - 20` and, above, `z + "
        "20` are around that of the variable z"),
    NUMBER(mbo_design_config, upper, "inf", -INFINITY, INFINITY, "", "upper bound"),
    NUMBER(
        mbo_design_config, scale, "", 1e-300, BIG, "",
        "typical size: the optimizer works with value / scale, and differences and checks go by it; left out: |start| "
        "(of a curve: its largest), or the distance of the bounds, or 1; but the optimizer takes half the distance of "
        "the bounds where it is left out and both are given"),
    {FIELD(mbo_design_config, values, "values", OPTION_NUMBERS, "", "",
           "catalogue: the values that the variable can have, separated by commas; the least and the largest are its "
           "bounds if these are left out. At first the variable may have any value; the optimum is then rounded to the "
           "nearest values of the catalogues, variables without a catalogue are optimized again, and neighbouring "
           "designs are tried, one step away in one or two catalogues, until none is better: a local search. Designs "
           "farther away are tried as long as none meets the constraints")},
    NUMBER(mbo_design_config, period, "0", 0, BIG, "",
           "values that differ by this, as angles by 2*pi, are the same design where `mbopt multistart` compares ends; "
           "0: none are"),
    END,
};

static const option_row uncertain_rows[] = {
    TEXT(mbo_uncertain_config, scalar, "", "scalar of the model that scatters; left out: the name of this section"),
    CHOICE(mbo_uncertain_config, distribution, "normal", WORDS("normal", "uniform", "triangular"),
           "normal: about the scalar's value, its mean, with `deviation`; uniform: between `lower` and `upper`; "
           "triangular: likewise, most likely at the scalar's value"),
    TEXT(mbo_uncertain_config, deviation, "",
         "normal: standard deviation, an expression of scalars that do not scatter, and of this one, which is its mean "
         "there; it may depend on design variables"),
    TEXT(mbo_uncertain_config, lower, "", "uniform, triangular: the lower end, likewise"),
    TEXT(mbo_uncertain_config, upper, "", "the upper end, likewise"),
    {FIELD(mbo_uncertain_config, correlation, "correlation.NAME", OPTION_NUMBER_PAIRS, "", "",
           "normal: coefficient of correlation with another [uncertain NAME], which is normal, too"),
     .min = -1, .max = 1},
    END,
};

static const option_row scenarios_rows[] = {
    INTEGER(mbo_scenarios_config, samples, "0", 0, 100000,
            "scenarios, each a simulation of every case with an objective or constraint that has `across`; sobol is "
            "best with 2^k - 1, as 31. 0: no samples: mean and deviation to first order, from gradients, which take "
            "the time of about two designs however many numbers scatter"),
    CHOICE(mbo_scenarios_config, plan, "sobol", WORDS("sobol", "latin_hypercube", "monte_carlo"),
           "how the samples are spread; the same ones at every design"),
    INTEGER(mbo_scenarios_config, seed, "1", 0, 2147483647,
            "of random numbers; sobol: they shift the sequence as a whole, 0: the published one"),
    INTEGER(mbo_scenarios_config, check, "0", 0, 10000000,
            "independent random samples at the result of an optimization, which say how well `samples` represent the "
            "scatter, with intervals of confidence; 0: none"),
    CHOICE(mbo_scenarios_config, lanes, "1", WORDS("1", "2", "4", "8"),
           "scenarios that a core simulates at once by vector instructions; results agree with those of 1 lane within "
           "the tolerance of the steps; 4 needs AVX2, 8 AVX-512"),
    NUMBER(mbo_scenarios_config, confidence, "0.95", 0.01, 0.999999, "", "probability of these intervals"),
    END,
};

static const option_row case_rows[] = {
    CASE_NUMBER(duration, NULL, 1e-12, 1e9, "s", "simulated time"),
    CASE_NUMBER(step, NULL, 1e-12, 1e9, "s",
                "time step; shortened so that a whole number of steps fits; dormand_prince: distance of the nodes, "
                "which are written, and the largest mean distance of the points at which objectives are evaluated "
                "within its own steps; the errors of motion and derivatives go with rtol, not with step"),
    PAIRS(mbo_case_config, scalars, "scalar.NAME",
          "value of a scalar of the model in this case alone: the road, the speed, the load"),
    PAIRS(mbo_case_config, curves, "curve.NAME",
          "another curve of the model that replaces this one in this case: another road, another drive"),
    CASE_ENUM(
        start, "given", WORDS("given", "equilibrium", "steady"),
        "given: every held quantity of the model's [start] at its value; equilibrium: those in its 'settle' from "
        "static equilibrium, with the rates held as given; steady: a steady motion (trim), straight on or in a turn, "
        "with the speed of steady.speed: held quantities say where it is and which way it heads, all others are where "
        "the search for it begins"),
    CASE_CHOICE(analysis, "motion", analysis, "what is computed of the mechanism"),
    PAIRS(mbo_case_config, drives, "drive.COORDINATE",
          "curve of the model that the coordinate follows over time in this case, or a number in SI units at which it "
          "stays: a constraint that is called drive.COORDINATE and has the outputs drive_force and power. A star "
          "stands for any text: drive.* means the coordinates of all joints that have a section [joint NAME] and all "
          "added coordinates, if they have no drive of their own"),
    PAIRS(
        mbo_case_config, branches, "branch.QUANTITY",
        "which way the mechanism is assembled, and how it goes on from singular positions. QUANTITY is an output of "
        "positions, as area(P, Q, R, axis), or a quantity of such, that vanishes where the branches meet. positive, "
        "negative: its sign, from the start on; guess: it keeps the sign that it has at the guesses; changes: its "
        "sign changes wherever it vanishes, so that the mechanism goes straight through. A start with another sign is "
        "sought anew; a kinematic case goes on to the branch that is stated, and what cannot be is an error that says "
        "when it is. Left out: the branch near the guesses; a kinematic case ends at a singular position, a motion "
        "passes it with its momentum and a warning; matrix_r refuses it"),
    {FIELD(mbo_case_config, steady_speed, "steady.speed", OPTION_TEXT, "", "m/s",
           "start = steady, analysis = steady: the speed, an expression of scalars or a curve of the model over time; "
           "of the "
           "point whose x and y the model's [start] holds (of the body on the ground, where it holds coordinates), "
           "along its "
           "path. Left out: it follows from the forces")},
    {FIELD(mbo_case_config, steady_curvature, "steady.curvature", OPTION_TEXT, "", "1/m",
           "the curvature of the path of this point, positive to the left, likewise; 0: straight on. Left out, with "
           "steady.lateral_acceleration: it follows from the forces")},
    {FIELD(mbo_case_config, steady_lateral_acceleration, "steady.lateral_acceleration", OPTION_TEXT, "", "m/s^2",
           "in the place of the curvature: the acceleration of this point across its path, positive to the left, "
           "likewise")},
    {FIELD(
        mbo_case_config, steady_find, "steady.find", OPTION_NAMES, "", "",
        "scalars of the model that the steady motion determines, as a steering angle and a driving torque: as many as "
        "motions are given, unless none is needed. Coefficients depend linearly on them, and in a motion that starts "
        "steadily they keep what is found")},
    CASE_CHOICE(formulation, "ali3p", formulation, "formulation of the dynamics"),
    CASE_ENUM(coordinates, "joint", WORDS("joint", "natural"),
              "coordinates of the equations of motion; joint: those of the joints, with loops cut; natural: places of "
              "points and components of unit vectors, which bodies share, with formulation = ali3p, or with "
              "formulation = matrix_r and independent coordinates chosen by the program. Both "
              "start from the same state, and outputs have the same names"),
    CASE_ENUM(reference, "auto", WORDS("com", "origin", "joint", "auto"),
              "reference points of the recursion: the global origin (RTdyn1), the centres of mass (RTdyn0), or the "
              "points of the joints; auto: the origin, but the centres of mass if the mechanism of the model file is a "
              "hundred times as far from it as it is wide. Results are the same but for rounding: about the origin, a "
              "mechanism of 1 m at 10 km has gradients with seven digits, about the centres of mass with eleven"),
    CASE_CHOICE(integrator, "newmark", integrator, "time integrator"),
    CASE_CHOICE(
        tangent, "analytic", tangent,
        "derivatives of forces and reactions in the matrices of Newton's iteration: they change the number of its "
        "corrections, not the solution; gradients use the analytic ones"),
    CASE_CHOICE(projection_matrix, "mass", projection,
                "velocities and accelerations are projected onto the constraints with the least change, as this matrix "
                "measures it"),
    CASE_ENUM(
        linear_solver, "auto", WORDS("auto", "dense", "sparse"),
        "matrices of a step; dense: in full; sparse: their nonzeros alone (KLU); auto: sparse from 40 coordinates on, "
        "where a sparse factorization takes less than a quarter of the operations of a dense one, and always in "
        "natural coordinates"),
    NAMES(mbo_case_config, independent, "auto",
          "matrix_r, semi_recursive, fully_recursive: names of independent coordinates, which may be added ones; of a "
          "loop either all are named or none. The program chooses those that are not named, and all with auto: those "
          "that move the others least, chosen anew during the run"),
    {.key = "", .type = OPTION_MORE, .offset = offsetof(mbo_case_config, simulation), .more = mbd_case_option_at},
    {FIELD(
         mbo_case_config, penalties, "penalty.NAME", OPTION_NUMBER_PAIRS, "", "",
         "ali3p, penalty: the number of some constraints in place of `penalty`, so that the penalties are a diagonal "
         "matrix. NAME is a constraint, as `mbopt model` lists it, or NAME.x, NAME.y, NAME.z, one of its equations; "
         "names with a star, which stands for any text, as in penalty.left.*; or a type of constraints, as in "
         "penalty.coincident. Of several that apply, an equation takes precedence over a constraint, a constraint over "
         "a star, the later of two stars over the other, and a star over a type"),
     .min = MBD_PENALTY_MIN, .max = MBD_PENALTY_MAX},
    END,
};

/* Rows that objectives and constraints share. */
#define TERM_ROWS                                                                                                      \
  TEXT(mbo_objective_config, of, "",                                                                                   \
       "output or quantity, as P2.position or s1.force; a vector counts with all components"),                         \
      TEXT(mbo_objective_config, value, "",                                                                            \
           "instead of `of` and `form`: an expression of the model's scalars, as lc + lr - la - lb, which takes no "   \
           "simulation, and of "                                                                                       \
           "other objectives and constraints by their names, also of different cases"),                                \
      {FIELD(mbo_objective_config, form, "form", OPTION_CHOICE, "", "",                                                \
             "the number that is computed from s = output - target over time"),                                        \
       .words = {.at = mbd_form_name, .doc_at = mbd_form_doc}},                                                        \
      {FIELD(mbo_objective_config, in_case, "case", OPTION_TEXT, "", "",                                               \
             "load case; left out: the only one; of `value` the scalars as they are without a case")},                 \
      {FIELD(mbo_objective_config, target, "target", OPTION_NUMBERS, "", "",                                           \
             "value, or one per component, that is subtracted from the output; left out: 0")},                         \
      TEXT(mbo_objective_config, target_curve, "",                                                                     \
           "curve of the model, over time or `over`, that is subtracted too: the output is to follow it"),             \
      NUMBER(mbo_objective_config, smoothing, "1e-6", 0, BIG, "",                                                      \
             "integral_abs: |s| is taken as sqrt(s^2 + smoothing^2) - smoothing"),                                     \
      NUMBER(                                                                                                          \
          mbo_objective_config, sharpness, "", 1e-300, BIG, "1/unit of the output",                                    \
          "of peak forms: ln(mean over time of exp(sharpness s))/sharpness, which comes short of the true peak by "    \
          "at most ln(duration/tau)/sharpness, tau the time near the peak; left out: 50 divided by the range of s at " \
          "the start of the run file. An optimization raises that of constraints until true values meet the limits")

/* Window of time and weighting of a form; numbers of forms. */
#define WINDOW_ROWS                                                                                                    \
  TEXT(mbo_objective_config, from, "",                                                                                 \
       "beginning of the window: a time, or the first moment at which an output crosses a value, as "                  \
       "P1.position.x "                                                                                                \
       "crosses 5, P1.position.x rises above 5, P1.position.x falls below 5; left out: the start. Between "            \
       "neighbouring nodes one crossing is seen"),                                                                     \
      TEXT(mbo_objective_config, until, "",                                                                            \
           "end of the window, likewise; only crossings after `from` count; left out: the end of the case"),           \
      TEXT(mbo_objective_config, at, "", "value_at: the time or the moment, likewise"),                                \
      TEXT(mbo_objective_config, over, "",                                                                             \
           "output that takes the place of time: target_curve is read at its value, and integrals and means run over " \
           "it; in the window it must rise or fall all the time. Where it falls, form integral runs along the motion " \
           "as the work of a force does (the integral of s dx with dx < 0), all other forms towards its greater "      \
           "values, so that squares and means stay positive"),                                                         \
      NUMBER(mbo_objective_config, tolerance, "", 0, BIG, "unit of the output",                                        \
             "settling_time: distance from the target that counts as settled"),                                        \
      NUMBER(mbo_objective_config, level, "", 0, 1, "", "quantile: part of the time, as 0.95"),                        \
      NUMBER(                                                                                                          \
          mbo_objective_config, width, "", 0, BIG, "unit of the output",                                               \
          "quantile: width over which its count of values is smoothed; a hundredth of their range is a good choice")

/* What becomes of it where scalars scatter. */
#define ACROSS_ROW(field, key, dflt, lo, hi, unit, doc) \
  { FIELD(mbo_objective_config, field, key, OPTION_NUMBER, dflt, unit, doc), .min = (lo), .max = (hi) }
#define ACROSS_ROWS                                                                                                   \
  {FIELD(                                                                                                             \
       mbo_objective_config, across, "across", OPTION_CHOICE, "", "",                                                 \
       "what it is across the scenarios of [uncertain NAME], one number with an exact gradient; left out: its value " \
       "where nothing scatters"),                                                                                     \
   .words = {.at = measure_name, .doc_at = measure_doc}},                                                             \
      ACROSS_ROW(across_sigmas, "across.sigmas", "3", 0, BIG, "standard deviations", "mean_sigma: how many"),         \
      ACROSS_ROW(across_level, "across.level", "0.9", 0.01, 0.999999, "",                                             \
                 "cvar: 0.9 means the mean of the worst tenth"),                                                      \
      ACROSS_ROW(across_limit, "across.limit", "", -BIG, BIG, "its unit", "probability: the limit"),                  \
      ACROSS_ROW(                                                                                                     \
          across_width, "across.width", "", 1e-300, BIG, "its unit",                                                  \
          "cvar, worst, probability: width of their smoothing; the result has the values without it, too. Left "      \
          "out: a twentieth of the standard deviation at the start of the run file"),                                 \
  {                                                                                                                   \
    FIELD(mbo_objective_config, across_tail, "across.tail", OPTION_CHOICE, "upper", "",                               \
          "which values are the bad ones, high or low ones"),                                                         \
        .words = {                                                                                                    \
          .word = WORDS("upper", "lower")                                                                             \
        }                                                                                                             \
  }

static const option_row objective_rows[] = {
    TERM_ROWS,
    WINDOW_ROWS,
    ACROSS_ROWS,
    NUMBER(mbo_objective_config, weight, "1", -BIG, BIG, "",
           "factor in the sum of all objectives; 0: it is shown alone"),
    END,
};

static const option_row mode_rows[] = {
    {FIELD(mbo_mode_config, in_case, "case", OPTION_NAMES, "", "",
           "load cases whose start is a steady motion: an equilibrium, or rates at which nothing accelerates; of "
           "several the "
           "mode is followed from each to the next, so as to have it over speeds; left out: the only one")},
    NUMBER(mbo_mode_config, near, "", 0, BIG, "Hz",
           "a guess of the frequency, imaginary part/(2 pi), of the mode in the first case at the start of the run "
           "file: the mode nearest "
           "to it, and to near_real where that is given; 0: one that does not oscillate. With neither the section is "
           "all modes of its "
           "cases but rigid motions, of which largest_real is the only number"),
    NUMBER(mbo_mode_config, near_real, "", -BIG, BIG, "1/s",
           "a guess of its real part, which is negative where it decays"),
    NUMBER(mbo_mode_config, sharpness, "50", 1e-300, BIG, "s",
           "of largest_real, the smooth maximum ln(sum exp(sharpness real))/sharpness, which is above the true one by "
           "ln(number of "
           "modes)/sharpness at most"),
    END,
};

static const option_row sensor_rows[] = {
    TEXT(mbo_sensor_config, of, NULL, "output or quantity that it would measure, one number"),
    {FIELD(mbo_sensor_config, in_case, "case", OPTION_TEXT, "", "",
           "load case that represents the experiment; left out: the only one")},
    NUMBER(mbo_sensor_config, sigma, NULL, 1e-300, BIG, "unit of the output", "standard deviation of its noise"),
    NUMBER(mbo_sensor_config, rate, "", 1e-300, BIG, "1/s",
           "samples in a second: each node of the run stands for as many as belong to its step; left out: one sample "
           "at each node"),
    NUMBER(mbo_sensor_config, from, "-inf", -INFINITY, INFINITY, "s", "there are no samples before this time"),
    NUMBER(mbo_sensor_config, until, "inf", -INFINITY, INFINITY, "s", "there are no samples after this time"),
    END,
};

static const option_row experiment_rows[] = {
    NAMES(mbo_experiment_config, parameters, NULL,
          "scalars of the model that are to be estimated; design variables may be among them"),
    NAMES(mbo_experiment_config, of_interest, "",
          "those of them whose precision counts, where the others only have to be estimated along with them; left out: "
          "all"),
    NAMES(mbo_experiment_config, sensors, "", "names of [sensor NAME] that measure; left out: all"),
    {FIELD(mbo_experiment_config, prior, "prior.NAME", OPTION_NUMBER_PAIRS, "", "",
           "standard deviation with which the parameter NAME is known before, in its unit; without it nothing is"),
     .min = 1e-300, .max = BIG},
    END,
};

static const option_row measurement_rows[] = {
    TEXT(mbo_measurement_config, file, NULL,
         "table with commas, or with semicolons and then also decimal commas, relative to this file; its first line "
         "may name the columns, empty cells are no samples"),
    TEXT(mbo_measurement_config, time, "",
         "column of the times [s], which increase: its name (a unit in brackets may be left out) or its number; left "
         "out: the first"),
    TEXT(mbo_measurement_config, column, "", "column of the values, likewise; left out: the other one of two"),
    TEXT(mbo_measurement_config, of, NULL,
         "output or quantity that was measured, one number; as P2.position.x. Residuals of the angles BODY.angle, yaw, "
         "roll and "
         "angle(VECTOR, VECTOR, VECTOR) are taken to the nearest turn, those of coordinates and quantities are not"),
    {FIELD(mbo_measurement_config, in_case, "case", OPTION_TEXT, "", "",
           "load case that represents the experiment; left out: the only one")},
    NUMBER(mbo_measurement_config, sigma, "", 1e-300, BIG, "unit of the output",
           "standard deviation of the noise, by which residuals are divided; left out: 1, and `mbopt fit` estimates it "
           "from the residuals"),
    NUMBER(mbo_measurement_config, factor, "1", -BIG, BIG, "",
           "from the unit of the column to that of the output: 1e-3 for mm, pi/180 for degrees"),
    TEXT(mbo_measurement_config, offset, "",
         "number or expression of the model's scalars that the sensor adds to the output; a design variable may move "
         "it"),
    TEXT(mbo_measurement_config, delay, "", "likewise, in s: a sample shows the output of this much earlier"),
    CHOICE_OF(mbo_measurement_config, loss, "square", loss,
              "what each residual r = (output - value)/sigma adds to the objective; others than square for outliers"),
    NUMBER(mbo_measurement_config, loss_width, "", 1e-300, BIG, "standard deviations",
           "where such a loss departs from r^2; left out: 1.345 (huber), 2.385 (cauchy)"),
    NUMBER(mbo_measurement_config, from, "-inf", -INFINITY, INFINITY, "s", "samples before this time do not count"),
    NUMBER(mbo_measurement_config, until, "inf", -INFINITY, INFINITY, "s", "samples after this time do not count"),
    YES_NO(mbo_measurement_config, hold_out, "no",
           "yes: kept out of the objective, to be predicted: its value is reported beside the others"),
    END,
};

static const option_row constraint_rows[] = {
    TERM_ROWS,
    WINDOW_ROWS,
    ACROSS_ROWS,
    NUMBER(mbo_objective_config, lower, "-inf", -INFINITY, INFINITY, "", "lower bound of the constrained quantity"),
    NUMBER(mbo_objective_config, upper, "inf", -INFINITY, INFINITY, "", "upper bound of the constrained quantity"),
    END,
};

static const option_row objectives_rows[] = {
    CHOICE(mbo_objectives_config, combine, "sum", WORDS("sum", "worst"),
           "sum: of weight times objective; worst: the smooth maximum of weight times objective, ln(sum exp(sharpness "
           "w psi))/sharpness"),
    NUMBER(mbo_objectives_config, sharpness, "50", 1e-300, BIG, "",
           "worst: at most ln(number of objectives)/sharpness above the true maximum; the weights should bring the "
           "objectives to about 1"),
    END,
};

static const option_row gradient_rows[] = {
    CHOICE(
        mbo_gradient_config, method, "auto",
        WORDS("auto", "direct", "discrete_adjoint", "continuous_adjoint", "central_differences", "complex_step",
              "none"),
        "direct: cost grows with the variables; discrete_adjoint: with the objectives and constraints, as exact; "
        "auto: for each case the one of these that costs less, measured once over its first steps, and kept in the "
        "journal of an optimization and in study.json; where their times are within a factor of two, direct if there "
        "are at most three variables for each adjoint; direct where the adjoint cannot be computed, and for a "
        "Gauss-Newton matrix; continuous_adjoint: right at the order of the scheme, but to the first order where an "
        "objective reads an output at t = 0 of an implicit scheme; the others are referees"),
    NUMBER(mbo_gradient_config, memory_limit, "0", 0, 1e9, "MiB",
           "memory for the motions that adjoints store, all cases together; if they need more, steps are recomputed; "
           "0: no limit"),
    NUMBER(mbo_gradient_config, difference_step, "1e-6", 1e-14, 0.1, "",
           "step of central differences, relative to a variable's scale"),
    CHOICE(mbo_gradient_config, lanes, "1", WORDS("1", "2", "4", "8"),
           "designs beside each other, of central differences and of `mbopt check`, that a core simulates at once by "
           "vector instructions; results agree with those of 1 lane within the tolerance of the steps; 4 needs AVX2, 8 "
           "AVX-512"),
    INTEGER(mbo_gradient_config, watch, "0", 0, 1000000000,
            "an optimization compares its first gradient, and every `watch`-th after it, with one direct sensitivity "
            "along a random direction, where they are computed by an adjoint; this costs a simulation with the "
            "derivative by one variable. Deviations are written to journal and results; 0: never"),
    NUMBER(mbo_gradient_config, watch_limit, "1e-6", 0, 1, "",
           "deviation of a gradient that is watched, relative to the largest of the run, beyond which the optimization "
           "stops with exit code 11; for continuous_adjoint, which is right at the order of the scheme alone, not less "
           "than `continuous_tolerance` of [check]"),
    END,
};

static const option_row check_rows[] = {
    NUMBER(mbo_check_config, tolerance, "1e-8", 0, 1, "",
           "agreement of direct differentiation, discrete adjoint and complex step, relative to the largest scaled "
           "component; derivatives that are no more than the rounding of their quantity need not agree, and are called "
           "tiny"),
    NUMBER(mbo_check_config, difference_tolerance, "1e-4", 0, 1, "", "agreement with central differences, likewise"),
    NUMBER(mbo_check_config, continuous_tolerance, "0.05", 0, 1, "",
           "agreement of the continuous adjoint, likewise. Its error is of the order of the scheme, so it must also "
           "decrease when all steps are halved, or be within difference_tolerance then"),
    INTEGER(mbo_check_config, variables, "20", 1, 1000000,
            "largest number of variables in which complex step and differences are taken one by one; if there are "
            "more, this many are taken, spread over all"),
    INTEGER(mbo_check_config, directions, "3", 0, 1000,
            "random directions in all variables for the complex step, where there are more variables than that"),
    NUMBER(mbo_check_config, taylor_step, "1e-2", 1e-12, 1, "",
           "largest step of the Taylor test, relative to the scales"),
    END,
};

static const option_row optimizer_rows[] = {
    TEXT(mbo_optimizer_config, backend, "auto",
         "one of those that `mbopt backends` lists. auto: levenberg_marquardt where the key hessian is or would be "
         "gauss_newton, objectives are added up, bounds are the only constraints, and neither algorithm nor [native] "
         "is set; else ipopt, or nlopt where only that is built in"),
    TEXT(mbo_optimizer_config, algorithm, "", "algorithm of the backend; left out: its own choice"),
    CHOICE(mbo_optimizer_config, hessian, "auto", WORDS("auto", "limited_memory", "gauss_newton", "exact"),
           "second derivatives. gauss_newton: of objectives that are all squares (" MBD_SQUARE_FORMS
           "), or means of them "
           "across samples, with weights that are not negative; it leaves out the curvature of constraints. auto: "
           "gauss_newton for such objectives if the "
           "backend takes the matrix, there are at most 100 variables and no memory_limit; else, and for means across "
           "samples with nonlinear constraints, "
           "limited_memory. With nonlinear constraints auto goes on with limited_memory from the best design where "
           "gauss_newton makes no "
           "progress, and the result says so. exact: of objectives and "
           "constraints; each variable costs a simulation with its adjoint in complex arithmetic at every iteration"),
    CHOICE(mbo_optimizer_config, scaling, "given", WORDS("given", "curvature"),
           "of the variables, for every backend; given: by the `scale` of each; curvature: where every objective is a "
           "square, by the Gauss-Newton matrix at the start, so that its diagonal entries are equal and the scales' "
           "geometric mean stays; it may halve the designs, or double them, so try both; gradients are then by direct "
           "differentiation"),
    INTEGER(mbo_optimizer_config, max_iterations, "200", 0, 1000000, "limit of iterations"),
    INTEGER(mbo_optimizer_config, max_evaluations, "1000", 1, 100000000,
            "limit of simulated designs; --resume counts those of the journal"),
    NUMBER(mbo_optimizer_config, max_time, "1e9", 0, 1e12, "s",
           "limit of wall time; --resume counts the simulations of the journal"),
    NUMBER(mbo_optimizer_config, tol_f, "1e-10", 0, 1, "", "relative change of the objective that counts as none"),
    NUMBER(mbo_optimizer_config, tol_x, "1e-10", 0, 1, "", "relative change of the variables that counts as none"),
    NUMBER(mbo_optimizer_config, tolerance, "1e-8", 1e-16, 1, "",
           "optimality tolerance; ipopt with gauss_newton: relative to the objective at the start, where that is below "
           "1; lbfgsb: largest entry of the projected gradient in value / scale, likewise relative"),
    NUMBER(
        mbo_optimizer_config, tol_offset, "0.25", 0, 100, "standard errors",
        "end of least-squares fits within the noise of their data, which are [measurement NAME] and target curves "
        "from a file whose residuals look like noise. The optimization ends when a step achieves less than half of "
        "the predicted decrease, and further steps would change the estimates by at most this many of their standard "
        "errors in the mean (relative offset of Bates and Watts); 0: it continues to the optimum"),
    NUMBER(mbo_optimizer_config, tol_constraint, "1e-8", 0, BIG, "", "violation of constraints that is accepted"),
    YES_NO(mbo_optimizer_config, first_changes, "no",
           "after an optimum, tell also what changes first as each limit, bound and fixed number moves, and at which "
           "value; "
           "for each variable this takes a product of exact second derivatives"),
    YES_NO(mbo_optimizer_config, repair_start, "no",
           "where a kinematic case locks at the start, begin at a design beside it at which none does, found along the "
           "gradient of mechanism.opening; a warning tells of it. Multistarts always do so"),
    NUMBER(mbo_optimizer_config, stop_value, "-inf", -INFINITY, BIG, "", "stop when the objective is this small"),
    INTEGER(mbo_optimizer_config, seed, "1", 0, 2147483647, "of algorithms that draw random numbers"),
    TEXT(
        mbo_optimizer_config, command, "",
        "backend = command: the optimizer, a program with its arguments, as 'python3 my_optimizer.py'; it asks for "
        "values "
        "and derivatives by lines of JSON. Words that name a file beside this file are taken from there. It is started "
        "only with --allow-commands, or if --command names it"),
    NUMBER(mbo_optimizer_config, answer_within, "600", 1e-3, 1e9, "s",
           "command: the longest time between an answer and the next line of the program, after which it is killed"),
    END,
};

static const option_row fit_rows[] = {
    NUMBER(mbo_fit_config, confidence, "0.95", 0.01, 0.999999, "", "probability of the intervals"),
    CHOICE(mbo_fit_config, noise, "auto", WORDS("auto", "given", "estimated"),
           "given: sigma of each measurement is the deviation of its noise; estimated: the sigmas are relative to each "
           "other, and the size of the noise follows from the residuals; auto: given where all measurements have a "
           "sigma and losses are squares"),
    CHOICE(
        mbo_fit_config, criterion, "D", WORDS("D", "A"),
        "what is best among sensors and measurements that are held out, which the fit puts in an order. D: the least "
        "volume of the confidence region, the largest determinant of the information matrix; A: the least sum of "
        "the variances, in variables divided by their scales. The number of directions that are determined comes "
        "first"),
    END,
};

static const option_row output_rows[] = {
    TEXT(mbo_output_config, folder, "", "where results go; left out: results/NAME of this file"),
    YES_NO(mbo_output_config, trajectory, "yes", "write the motion of the final design"),
    INTEGER(mbo_output_config, every, "1", 1, 1000000000, "write every n-th step of it"),
    YES_NO(mbo_output_config, objectives, "no",
           "write a column for each objective and constraint that is an integral over time of s or s^2, too: its value "
           "so far"),
    YES_NO(mbo_output_config, projections, "no",
           "a column of the trajectory for the multipliers of the projections, sigma of velocities and kappa of "
           "accelerations (ali3p, penalty)"),
    NAMES(mbo_output_config, outputs, "", "more outputs to write beside coordinates and objectives"),
    NAMES(
        mbo_output_config, columns, "",
        "the columns of tables over time beside the time, in this order: coordinates, rates, accelerations, outputs, "
        "multipliers, which need not stand in `outputs`, and patterns, as FL.*; left out: all. Pages have all columns, "
        "and show these first"),
    END,
};

static const option_row sweep_rows[] = {
    CHOICE(mbo_sweep_config, task, "simulate", WORDS("simulate", "gradient", "optimize"),
           "what each run does: values of objectives and constraints, these with their gradient, or an optimization"),
    CHOICE(mbo_sweep_config, plan, "grid", WORDS("grid", "latin_hypercube", "sobol", "csv"),
           "grid: every combination of the values, the last key fastest; latin_hypercube, sobol: `points` spread over "
           "the ranges; csv: the rows of `file`"),
    INTEGER(mbo_sweep_config, points, "0", 0, 100000000, "latin_hypercube, sobol: how many runs"),
    INTEGER(mbo_sweep_config, seed, "1", 0, 2147483647,
            "of random numbers; sobol: they shift the sequence as a whole, 0: the published one"),
    TEXT(mbo_sweep_config, file, "",
         "csv: table of the runs, relative to this file; its first line names the keys as below, without 'vary.'"),
    PAIRS(
        mbo_sweep_config, vary, "vary.NAME",
        "what is swept: a scalar of the model (of a design variable: its start), or any key as --set names it, "
        "SECTION.KEY or SECTION.NAME.KEY. Values: a list A, B, C of numbers or words; FROM to TO in N, equally spaced; "
        "FROM to TO in N log, by equal ratios; for latin_hypercube and sobol FROM to TO, FROM to TO log, or a list"),
    END,
};

static const option_row equivalent_rows[] = {
    PAIRS(mbo_equivalent_config, scalars, "scalar.NAME",
          "what a scalar of the model is in the equivalent design, an expression of the scalars of the other one; "
          "those without a line are the same"),
    END,
};

static const option_row multistart_rows[] = {
    INTEGER(mbo_multistart_config, starts, "20", 1, 100000000,
            "optimizations; the first begins at the run's own start"),
    CHOICE(mbo_multistart_config, plan, "latin_hypercube", WORDS("latin_hypercube", "sobol"),
           "how the other starts are spread"),
    INTEGER(mbo_multistart_config, seed, "1", 0, 2147483647,
            "of random numbers; sobol: they shift the sequence as a whole, 0: the published one"),
    NUMBER(mbo_multistart_config, spread, "", 1e-12, BIG, "",
           "starts lie within start +- spread * scale, and the bounds; left out: between the bounds, which every "
           "variable then needs"),
    PAIRS(mbo_multistart_config, vary, "vary.KEY",
          "numbers of a key that the starts take in turn, as scalars.circuit = -1, 1; of several keys in all "
          "combinations. The ends are those of all of them, best first"),
    END,
};

static const option_row pareto_rows[] = {
    NAMES(mbo_pareto_config, objectives, "",
          "two or three objectives between which the front lies; left out: all of the file. Others are added to the "
          "first of them, each with its weight"),
    INTEGER(mbo_pareto_config, points, "15", 3, 100000,
            "points of the front: the optimum of each objective by itself, then others where the front has its largest "
            "gaps and bends"),
    NUMBER(
        mbo_pareto_config, tolerance, "1e-4", 0, 0.1, "",
        "how far a point may be from the front, relative to the range of the objectives on it: the decrease that the "
        "second derivatives at its end predict; without these ten times as much takes the place of the tolerance of "
        "[optimizer], where that is smaller"),
    END,
};

static const option_row compare_rows[] = {
    NAMES(mbo_compare_config, backends, "",
          "what is compared: BACKEND, nlopt:ALGORITHM, ipopt:gauss_newton, ipopt:exact, command:PROGRAM ARGUMENTS; "
          "left out: " MBO_COMPARED_BACKENDS
          ", without those that cannot solve the problem; A or B: the first of them that can"),
    INTEGER(mbo_compare_config, starts, "1", 1, 1000000,
            "each from so many starts, drawn as [multistart] says; the first is the run's own"),
    END,
};

static const option_row study_rows[] = {
    CHOICE(
        mbo_study_config, engine, "local", WORDS("local", "slurm"),
        "what executes the runs of a study; local: worker processes on this machine; slurm: job arrays of a cluster"),
    INTEGER(mbo_study_config, jobs, "0", 0, 10000,
            "worker processes at once; 0: as many as the machine has processors"),
    INTEGER(mbo_study_config, attempts, "3", 1, 100,
            "how often a run is tried whose process was killed, before it is recorded as failed"),
    NUMBER(mbo_study_config, run_limit, "0", 0, 1e9, "s",
           "a run that takes longer is ended and recorded as failed; 0: no limit"),
    CHOICE(mbo_study_config, lanes, "auto", WORDS("auto", "1", "2", "4", "8"),
           "runs that a core does at once by vector instructions, if they simulate the same mechanism with other "
           "numbers; their results agree with those of 1 lane within "
           "the tolerance of their steps, and the plan of the study keeps the number; 4 needs AVX2, 8 AVX-512; auto: 4 "
           "for at least 64 simulations or gradients, where the "
           "machine that plans the study can, else 1. Optimizations in lanes do not go on in their middle where they "
           "were interrupted"),
    END,
};

static const option_row slurm_rows[] = {
    TEXT(mbo_slurm_config, partition, "", "partition of the jobs; left out: the cluster's default"),
    TEXT(mbo_slurm_config, account, "", "account that the jobs are charged to"),
    TEXT(mbo_slurm_config, qos, "", "quality of service"),
    TEXT(mbo_slurm_config, time_limit, "",
         "of a job, as sbatch --time takes it; a minute before its end a job finishes its step, saves and is queued "
         "again"),
    TEXT(mbo_slurm_config, memory, "", "of a job, as sbatch --mem takes it"),
    INTEGER(mbo_slurm_config, cpus, "1", 1, 10000, "processors of a job, each with a worker process"),
    INTEGER(mbo_slurm_config, tasks, "100", 1, 100000,
            "largest number of jobs of a study; each executes an equal share of the runs"),
    INTEGER(mbo_slurm_config, at_once, "0", 0, 100000,
            "largest number of these jobs that run at the same time; 0: as the queue decides"),
    INTEGER(mbo_slurm_config, requeues, "20", 0, 100000, "how often a job that was stopped is queued again"),
    NAMES(mbo_slurm_config, options, "", "more options of sbatch, as --constraint=fast, separated by commas"),
    END,
};

static const option_row scalars_rows[] = {
    {.key = "NAME", .type = OPTION_PAIRS, .dflt = "", .unit = "", .doc = "expression that replaces the scalar's own"},
    END,
};

static const option_row native_rows[] = {
    {.key = "NAME",
     .type = OPTION_PAIRS,
     .dflt = "",
     .unit = "",
     .doc = "value of an option that the backend's own manual describes; options of IPOPT that name files or libraries "
            "(output_file, option_file_name, hsllib, pardisolib) or write matrices to files are refused"},
    END,
};

/* A section that occurs once in the file, and one that occurs for each item of a list. */
#define ONE(kind_, doc_) \
  { .kind = #kind_, .offset = offsetof(mbo_run_config, kind_), .doc = (doc_), .row = kind_##_rows }
#define EACH(kind_, list, n, doc_)                                                                  \
  {                                                                                                 \
    .kind = #kind_, .offset = offsetof(mbo_run_config, list), .count = offsetof(mbo_run_config, n), \
    .size = sizeof *((mbo_run_config *)0)->list, .doc = (doc_), .row = kind_##_rows                 \
  }

/* In the order of reading and writing. */
static const option_section sections[] = {
    ONE(model, "The mechanism."),
    EACH(plugin, plugin, nplugin,
         "A force of one's own, which is loaded and run as a part of this program. Only the run file names its file; "
         "a force of the model refers to it by `type = user` and `plugin = NAME`. A library to which no force refers "
         "is not loaded, as a message says; nor is one that `mbopt plugin` of this user has not built, unless "
         "--allow-plugins is given."),
    ONE(scalars, "New values of the model's scalars."),
    EACH(quantity, quantity, nquantity,
         "A derived quantity: an expression of outputs, which can be used wherever an output can, and is written with "
         "the motion."),
    EACH(state, state, nstate,
         "A state of first order as in model files, which no force of the model reads: the filter of an objective, an "
         "integral over time with a rate of its own."),
    EACH(design, design, ndesign, "Design variables: a scalar of the model, or the control points of a curve."),
    EACH(
        equivalent, equivalent, nequivalent,
        "Designs that do the same as others, such as mirror images or cognate linkages: `mbopt multistart` names those "
        "of its ends that are, and says where the equivalent of the best one is that no start has reached."),
    EACH(
        uncertain, uncertain, nuncertain,
        "A scalar of the model that scatters: a tolerance, a load, a material. It may be a design variable, which then "
        "is its mean. Objectives and constraints say by `across` what counts of them."),
    EACH(case, cases, ncase, "A load case: what is simulated, and how."),
    EACH(mode, mode, nmode,
         "A mode of small motions about the start of load cases, for the values of objectives and constraints: "
         "NAME.real [1/s], "
         "NAME.frequency [Hz] and NAME.damping_ratio of one that is followed by its vectors over designs and cases "
         "(NAME.CASE.real and so on "
         "where there are several cases), and NAME.largest_real, the smooth maximum of the real parts over cases, or "
         "of all modes. They "
         "have exact gradients; their cost does not grow with the design variables."),
    EACH(sensor, sensor, nsensor,
         "A measurement that could be made: `mbopt fit` says how precise the estimates would be with it."),
    EACH(experiment, experiment, nexperiment,
         "What sensors would tell of parameters, for the values of objectives and constraints: NAME.information, the "
         "logarithm of the determinant of the information matrix (-1 times it is minimized: D-optimal), "
         "NAME.variance, the sum of the variances (A-optimal), both of parameters divided by their values, and "
         "NAME.deviation.PARAMETER, a standard deviation. They have exact gradients in excitations, durations and all "
         "else that varies: each of these numbers costs a direct differentiation by the parameters, and its gradient "
         "as many products of second order as there are parameters, however many variables."),
    EACH(measurement, measurement, nmeasurement,
         "A measured series: an objective of this name, the sum of its squared residuals divided by sigma, "
         "sum_i loss((output(t_i - delay) + offset - value_i)/sigma). Between the nodes, outputs are interpolated."),
    EACH(objective, objective, nobjective, "A term of the objective; [objectives] says how several are combined."),
    EACH(constraint, constraint, nconstraint, "A nonlinear constraint: lower <= quantity <= upper."),
    ONE(scenarios, "How what scatters is sampled."),
    ONE(objectives, "How several objectives are combined."),
    ONE(gradient, "How gradients are computed."),
    ONE(check, "How `mbopt check` judges gradients."),
    ONE(optimizer, "The optimizer, and when it stops."),
    ONE(native, "Options of the backend in its own names."),
    ONE(fit, "Statistics of `mbopt fit`: intervals of the estimates."),
    ONE(output, "Which results are written, and where."),
    ONE(sweep, "A parameter study, `mbopt sweep`: what is varied, and what each run does."),
    ONE(multistart, "`mbopt multistart`: one optimization from many starts; how starts are drawn."),
    ONE(pareto,
        "`mbopt pareto`: the front of two or three objectives, none of which can fall further unless another rises."),
    ONE(compare, "`mbopt compare`: several optimizers with the same number of simulations."),
    ONE(study, "How the runs of a sweep, a multistart, a front or a comparison are executed."),
    ONE(slurm, "Requests to the queue of a cluster."),
};

enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

const option_section *option_section_at(int i) {
  return i >= 0 && i < N_SECTIONS ? &sections[i] : NULL;
}

const option_section *option_section_find(const char *kind) {
  for (int i = 0; i < N_SECTIONS; i++) {
    if (strcmp(sections[i].kind, kind) == 0) { return &sections[i]; }
  }
  return NULL;
}
