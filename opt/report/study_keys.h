/* What a study varies, as axes of its figures: the values of every column of points.csv, and which figures suit them. */
#ifndef MBO_STUDY_KEYS_H
#define MBO_STUDY_KEYS_H

#include "study/study.h"

enum {
  KEYS_LEVELS_MOST = 2000,  /* distinct values that are told apart; more of them are no grid */
  KEYS_POINTS_MOST = 20000, /* runs that a figure shows */
  KEYS_CATEGORIES_MOST = 6  /* combinations of words with figures of their own */
};

typedef struct study_key {
  const char *name; /* the study's */
  int words;        /* 1: a value is no number */
  int log;          /* equal ratios */
  int n;            /* distinct values; 0: more than KEYS_LEVELS_MOST */
  double *level;    /* [n] of numbers, increasing */
  char **word;      /* [n] of words, in their order in the study */
  double low, high; /* of numbers */
  int stride;       /* of a grid's levels, every so many are drawn */
} study_key;

typedef enum study_shape {
  SHAPE_NONE,     /* nothing that is a number varies: the table says it all */
  SHAPE_CURVES,   /* over one key */
  SHAPE_CONTOURS, /* over a grid of two */
  SHAPE_SCATTER,  /* over points of two */
  SHAPE_PARALLEL  /* three keys and more */
} study_shape;

typedef struct study_keys {
  int n;
  study_key *key; /* [n] the columns of the study */
  long nrun;
  int grid;        /* 1: every combination of values once */
  int stride;      /* without a grid: every so many runs are drawn */
  int ncategory;   /* combinations of words; 1 without words, KEYS_CATEGORIES_MOST where there are more */
  int more;        /* 1: there are more */
  char **category; /* [ncategory] "newmark, ali3p"; "" without words */
} study_keys;

/* Reads the table of runs of an open study. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status study_keys_create(study *s, study_keys *k, mbd_error *err);
void study_keys_free(study_keys *k);

/* Numbers that take several values: how many, and in which[] [k->n] which. */
int study_keys_varied(const study_keys *k, int *which);
study_shape study_keys_shape(const study_keys *k);

/* Is run i, of these values [n], one of those that are drawn? At most about KEYS_POINTS_MOST are, evenly. */
int study_keys_drawn(const study_keys *k, long i, char *const *value);
int study_keys_thinned(const study_keys *k);

/* A value as a number (NaN for words); place of a number among the levels, -1: it is not there. */
double study_key_number(const study_key *q, const char *value);
int study_key_place(const study_key *q, double v);

/* Which combination of words the values [n] have; -1: one beyond the most. */
mbd_status study_keys_category(const study_keys *k, char *const *value, int *category, mbd_error *err);

#endif
