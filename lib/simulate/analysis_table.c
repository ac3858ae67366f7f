/* The table of analyses: a new one is one file and one word here. */
#include "base/table.h"
#include "simulate/analysis.h"

static const sim_analysis analysis_motion = {
    .name = "motion",
    .doc = "the motion from the start on, under forces and constraints, integrated over time",
};

#define ANALYSES(X) X(motion) X(kinematic) X(static) X(steady) X(closing)
#define LISTED(n)   &analysis_##n,

extern const sim_analysis analysis_kinematic, analysis_static, analysis_steady, analysis_closing;

MBD_TABLE(sim_analysis, ANALYSES(LISTED), analysis_at, analysis_find, mbd_analysis_name, name)

MBD_TABLE_MEMBER(const char *, mbd_analysis_doc, analysis_at, doc)
