/* The varied keys of a study as axes of its figures: the values of every column of points.csv, and the kind of figures
 * for them. */
#ifndef MBO_STUDY_KEYS_H
#define MBO_STUDY_KEYS_H

#include "study/study.h"

enum {
  KEYS_LEVELS_MAX = 2000,  /* largest number of distinct values of a grid */
  KEYS_POINTS_MAX = 20000, /* largest number of runs in a figure */
  KEYS_CATEGORIES_MAX = 6  /* largest number of combinations of words with separate figures */
};

typedef struct study_key {
  const char *name; /* name in the study */
  int words;        /* 1: a value is not a number */
  int log;          /* equal ratios */
  int n;            /* distinct values; 0: more than KEYS_LEVELS_MAX */
  double *level;    /* [n] values of a key with numbers, increasing */
  char **word;      /* [n] values of a key with words, in the order of the study */
  double low, high; /* of numbers */
  int stride;       /* of the levels of a grid, every stride-th one is drawn */
} study_key;

typedef enum study_shape {
  SHAPE_NONE,     /* no number varies: the table is sufficient */
  SHAPE_CURVES,   /* over one key */
  SHAPE_CONTOURS, /* over a grid of two keys */
  SHAPE_SCATTER,  /* over points in two keys */
  SHAPE_PARALLEL  /* three keys or more */
} study_shape;

typedef struct study_keys {
  int n;
  study_key *key; /* [n] the columns of the study */
  long nrun;
  int grid;        /* 1: every combination of values occurs once */
  int stride;      /* without a grid: every stride-th run is drawn */
  int ncategory;   /* number of combinations of words; 1 without words, at most KEYS_CATEGORIES_MAX */
  int more;        /* 1: there are more combinations */
  char **category; /* [ncategory] "newmark, ali3p"; "" without words */
} study_keys;

/* Reads the table of runs of an open study. MBD_NO_MEMORY, MBD_IO_ERROR. */
mbd_status study_keys_create(study *s, study_keys *k, mbd_error *err);
void study_keys_free(study_keys *k);

/* The keys with several numbers as values: returns how many, and lists them in which [k->n], NULL: no list. */
int study_keys_varied(const study_keys *k, int *which);
study_shape study_keys_shape(const study_keys *k);

/* Returns 1 if run i, with these values [n], is drawn. At most about KEYS_POINTS_MAX runs are drawn, evenly
 * distributed. */
int study_keys_drawn(const study_keys *k, long i, char *const *value);
int study_keys_thinned(const study_keys *k);

/* A value as a number (NaN for words); the index of a number among the levels, -1: it is none of them. */
double study_key_number(const study_key *key, const char *value);
int study_key_place(const study_key *key, double v);

/* The number of the combination of words of the values [n]; -1: one beyond KEYS_CATEGORIES_MAX. */
mbd_status study_keys_category(const study_keys *k, char *const *value, int *category, mbd_error *err);

#endif
