/* The tree of an MJCF file, its settings, its classes. */
#include "import/mjcf_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "files/memory.h"
#include "files/text_list.h"

/* ---- the permitted elements ---- */

#define FRAME               "pos quat axisangle xyaxes zaxis euler "
#define CONTACT             "contype conaffinity condim priority friction solmix solref solimp margin gap surfacevel adhesion "
#define LOOK                "group material rgba user "
#define LIMITS              "solreflimit solimplimit solreffriction solimpfriction margin "
#define SETPOINT            "name class group ctrlrange user ctrllimited forcelimited forcerange gear joint tendon lengthrange "
#define PASSES              "nsample interp delay cranklength slidersite cranksite refsite actlimited actrange actdim actearly "
#define NOT_TAKEN_OF_MOTORS "damping armature "
#define KINEMATIC           "body frame default "

/* Places where one element stands for several, and elements whose bodies the reader does not make. */
#define REFUSED "attach replicate composite flexcomp "

static const element_rule rules[] = {
    {.name = "mujoco",
     .attributes = "model",
     .several = "compiler option default asset worldbody equality tendon actuator keyframe",
     .aside = "size visual statistic custom sensor contact extension",
     .left_out = "deformable"},
    {.name = "compiler",
     .attributes = "autolimits boundmass boundinertia settotalmass balanceinertia strippath coordinate angle fitaabb "
                   "eulerseq meshdir texturedir assetdir discardvisual usethread fusestatic inertiafromgeom "
                   "inertiagrouprange saveinertial alignfree conflict convexhull exactmeshinertia",
     .aside = "lengthrange"},
    {.name = "option",
     .attributes =
         "timestep apirate impratio tolerance ls_tolerance noslip_tolerance mpr_tolerance ccd_tolerance gravity wind "
         "magnetic density viscosity o_margin o_solref o_solimp o_friction integrator collision cone jacobian "
         "solver iterations ls_iterations noslip_iterations mpr_iterations ccd_iterations sdf_iterations "
         "sdf_initpoints actuatorgroupdisable sleep_tolerance",
     .several = "flag"},
    {.name = "flag",
     .parents = "option",
     .attributes = "constraint equality frictionloss limit contact spring damper passive gravity clampctrl warmstart "
                   "filterparent actuation refsafe sensor midphase eulerdamp autoreset nativeccd island multiccd "
                   "override energy fwdinv invdiscrete sensornoise sleep diagexact"},
    {.name = "default",
     .attributes = "class",
     .several = "default joint geom site equality tendon general motor position velocity mesh",
     .aside = "damper intvelocity material camera light pair cylinder muscle adhesion orientation pid dcmotor"},
    {.name = "asset", .several = "mesh", .aside = "texture material hfield skin model plugin"},
    {.name = "mesh",
     .attributes = "name class content_type file vertex normal texcoord face refpos refquat scale smoothnormal "
                   "maxhullvert inertia builtin params material",
     .aside = "plugin"},
    {.name = "worldbody",
     .several = "body frame geom site",
     .aside = "camera light",
     .left_out = "inertial joint freejoint",
     .refused = REFUSED},
    {.name = "body",
     .attributes = "name childclass mocap gravcomp sleep simple user " FRAME,
     .once = "inertial",
     .several = "body frame joint freejoint geom site",
     .aside = "camera light",
     .left_out = "plugin",
     .refused = REFUSED},
    {.name = "frame",
     .attributes = "name childclass " FRAME,
     .several = "body frame joint freejoint geom site",
     .aside = "camera light",
     .refused = REFUSED},
    {.name = "inertial", .attributes = "mass diaginertia fullinertia " FRAME},
    {.name = "joint",
     .parents = KINEMATIC,
     .attributes =
         "name class type group pos axis limited range actuatorfrclimited actuatorfrcrange ref springref stiffness "
         "damping armature frictionloss springdamper user " LIMITS,
     .without = "actuatorgravcomp"},
    {.name = "freejoint", .attributes = "name group align"},
    {.name = "geom",
     .attributes = "name class type size mass density fromto hfield mesh " FRAME CONTACT LOOK,
     .without = "shellinertia fluidshape fluidcoef fitscale",
     .left_out = "plugin"},
    {.name = "site", .attributes = "name class type size fromto " FRAME LOOK},
    {.name = "equality",
     .parents = "mujoco",
     .several = "connect weld joint tendon",
     .left_out = "distance flex flexvert flexstrain"},
    {.name = "equality", .parents = "default", .attributes = "active solref solimp"},
    {.name = "connect", .attributes = "name class active solref solimp body1 body2 anchor site1 site2"},
    {.name = "weld",
     .attributes = "name class active solref solimp body1 body2 anchor relpose site1 site2 torquescale"},
    {.name = "joint", .parents = "equality", .attributes = "name class active solref solimp joint1 joint2 polycoef"},
    {.name = "tendon", .parents = "equality", .attributes = "name class active solref solimp tendon1 tendon2 polycoef"},
    {.name = "tendon", .parents = "mujoco", .several = "fixed", .left_out = "spatial"},
    {.name = "tendon",
     .parents = "default",
     .attributes = "limited range springlength stiffness damping width " LOOK LIMITS,
     .without = "frictionloss armature"},
    {.name = "fixed",
     .attributes =
         "name class limited range springlength stiffness damping actuatorfrclimited actuatorfrcrange " LOOK LIMITS,
     .without = "frictionloss armature",
     .several = "joint"},
    {.name = "joint", .parents = "fixed", .attributes = "joint coef"},
    {.name = "actuator",
     .several = "general motor position velocity",
     .left_out = "damper intvelocity cylinder muscle adhesion orientation pid dcmotor plugin"},
    {.name = "general",
     .attributes = SETPOINT PASSES
     "jointinparent site body dyntype gaintype biastype dynprm gainprm biasprm input velrange ffrange",
     .without = NOT_TAKEN_OF_MOTORS},
    {.name = "motor", .attributes = SETPOINT PASSES "jointinparent site body", .without = NOT_TAKEN_OF_MOTORS},
    {.name = "position",
     .attributes = SETPOINT PASSES "jointinparent site body kp kv inheritrange",
     .without = NOT_TAKEN_OF_MOTORS "dampratio timeconst"},
    {.name = "velocity", .attributes = SETPOINT PASSES "jointinparent site body kv", .without = NOT_TAKEN_OF_MOTORS},
    {.name = "keyframe", .several = "key"},
    {.name = "key", .attributes = "name time qpos qvel act ctrl mpos mquat"},
};

/* ---- included files ---- */

/* The path of a file that is given relative to the folder of the first one; NULL: no memory. */
static char *beside(const mjcf_file *f, const char *name) {
  const char *main = f->path[0], *slash = strrchr(main, '/');
  return mbd_sprintf_dup("%.*s%s", slash ? (int)(slash - main + 1) : 0, main, name);
}

/* Returns 1 for a path that leads out of the folder that it begins in. */
static int leads_out(const char *path) {
  int depth = 0;
  if (*path == '/') { return 1; }
  while (*path) {
    const size_t n = strcspn(path, "/");
    if (n == 2 && strncmp(path, "..", 2) == 0) {
      depth--;
    } else if (n > 0 && !(n == 1 && *path == '.')) {
      depth++;
    }
    if (depth < 0) { return 1; }
    path += n + (path[n] == '/');
  }
  return 0;
}

/* Fails for a path that leads out of the folder of the first file. */
static mbd_status check_inside(const mjcf_file *f, const xml_element *e, const char *path) {
  if (!leads_out(path)) { return MBD_OK; }
  return element_fail(&f->elements, e, "file = \"%.200s\", expected a file in the folder of %.200s or below", path,
                      f->path[0]);
}

/* Puts the children of an included root in the place of the i-th child of e, which is freed. */
static int splice(xml_element *e, int i, xml_element *included) {
  const int n = included->nchild, total = e->nchild - 1 + n;
  xml_element **child = mbd_zeros((size_t)total + 1, sizeof *child);
  if (!child) { return 0; }
  memcpy(child, e->child, (size_t)i * sizeof *child);
  for (int k = 0; k < n; k++) {
    child[i + k] = included->child[k];
    child[i + k]->parent = e;
  }
  memcpy(child + i + n, e->child + i + 1, (size_t)(e->nchild - 1 - i) * sizeof *child);
  xml_free(e->child[i]);
  free(e->child);
  e->child = child, e->nchild = total;
  included->nchild = 0;
  return 1;
}

/* Reads the file of the i-th child of e, an <include>. */
static mbd_status include(mjcf_file *f, xml_element *e, int i) {
  const xml_element *in = e->child[i];
  const char *name;
  xml_element *root;
  MBD_TRY(element_text(&f->elements, in, "file", &name));
  MBD_TRY(check_inside(f, in, name));
  char *path = beside(f, name);
  if (path && text_list_find(f->path, f->npath, path) >= 0) {
    free(path);
    return element_fail(&f->elements, in, "file = \"%.200s\" is included twice", name);
  }
  xml_element **grown = mbd_list_grow(f->include, f->ninclude, sizeof *grown);
  if (grown) { f->include = grown; }
  MEMORY_TRY(text_list_take(&f->path, &f->npath, path) && grown, f->elements.err, "%s", name);
  MBD_TRY(xml_read(path, &root, f->elements.err));
  f->include[f->ninclude++] = root;
  MEMORY_TRY(splice(e, i, root), f->elements.err, "%s", name);
  return MBD_OK;
}

/* Replaces every <include> below e, those of included files among them. */
static mbd_status include_all(mjcf_file *f, xml_element *e, int depth) {
  if (depth > XML_DEPTH) {
    return element_fail(&f->elements, e, "expected at most %d elements inside each other", XML_DEPTH);
  }
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, "include") == 0) {
      MBD_TRY(include(f, e, i));
      i--;
    } else {
      MBD_TRY(include_all(f, e->child[i], depth + 1));
    }
  }
  return MBD_OK;
}

/* ---- sections ---- */

const xml_element *mjcf_next(const mjcf_file *f, mjcf_each *at) {
  for (; at->i < f->root->nchild; at->i++, at->k = 0) {
    const xml_element *section = f->root->child[at->i];
    if (strcmp(section->name, at->section) != 0) { continue; }
    while (at->k < section->nchild) {
      const xml_element *e = section->child[at->k++];
      if (!at->name || strcmp(e->name, at->name) == 0) { return e; }
    }
  }
  return NULL;
}

/* ---- classes ---- */

mbd_status mjcf_no_memory(const mjcf_file *f) {
  return MEMORY_NONE(f->elements.err, "%s", f->path[0]);
}

/* Reads a <default> with those in it; all outermost ones are of the class `main`, under the name that they give it, too. */
static mbd_status read_default(mjcf_file *f, const xml_element *e, int parent) {
  const char *name = xml_get(e, "class");
  if (!name && parent >= 0) { return element_fail(&f->elements, e, "attribute 'class' is missing"); }
  int class = parent < 0 && f->nclass ? 0 : name ? mbd_names_find(&f->classes, name) : -1;
  if (class < 0) {
    mjcf_class *grown = mbd_list_grow(f->class, f->nclass, sizeof *grown);
    if (!grown) { return mjcf_no_memory(f); }
    f->class = grown, class = f->nclass++;
    grown[class] = (mjcf_class){.name = name ? name : "main", .parent = parent, .last = -1};
    if (parent < 0 && !mbd_names_add(&f->classes, "main", class)) { return mjcf_no_memory(f); }
  }
  if (f->class[class].parent != parent) {
    return element_fail(&f->elements, e, "class '%.80s' is there already, inside another one", name);
  }
  if (name && !mbd_names_add(&f->classes, name, class)) { return mjcf_no_memory(f); }
  mjcf_default *grown = mbd_list_grow(f->defaults, f->ndefault, sizeof *grown);
  if (!grown) { return mjcf_no_memory(f); }
  f->defaults = grown;
  grown[f->ndefault] = (mjcf_default){.e = e, .class = class, .before = f->class[class].last};
  f->class[class].last = f->ndefault++;
  for (int i = 0; i < e->nchild; i++) {
    if (strcmp(e->child[i]->name, "default") == 0) { MBD_TRY(read_default(f, e->child[i], class)); }
  }
  return MBD_OK;
}

mbd_status mjcf_class_of(const mjcf_file *f, const xml_element *e, int *class) {
  const char *key = "class", *name = xml_get(e, key);
  const xml_element *at = e;
  if (!name) { key = "childclass"; }
  while (!name && at->parent) { name = xml_get(at = at->parent, key); }
  *class = name ? mbd_names_find(&f->classes, name) : f->nclass ? 0 : -1;
  if (*class >= 0 || !name || strcmp(name, "main") == 0) { return MBD_OK; }
  return element_not_known(&f->elements, at, key, name, &f->classes);
}

/* The text of an attribute in the defaults of a class, or of one around it; NULL: it has none. */
static const char *default_of(const mjcf_file *f, int class, const char *element, const char *key) {
  for (; class >= 0; class = f->class[class].parent) {
    for (int i = f->class[class].last; i >= 0; i = f->defaults[i].before) {
      const xml_element *d = xml_child(f->defaults[i].e, element);
      const char *text = d ? xml_get(d, key) : NULL;
      if (text) { return text; }
    }
  }
  return NULL;
}

/* ---- values ---- */

mbd_status mjcf_get(const mjcf_file *f, const xml_element *e, const char *key, const char **text) {
  int class;
  *text = xml_get(e, key);
  if (*text) { return MBD_OK; }
  MBD_TRY(mjcf_class_of(f, e, &class));
  const char *section = e->parent ? e->parent->name : "";
  const int is_shared = strcmp(section, "equality") == 0 || strcmp(section, "tendon") == 0;
  *text = default_of(f, class, is_shared ? section : e->name, key);
  return MBD_OK;
}

mbd_status mjcf_numbers(const mjcf_file *f, const xml_element *e, const char *key, int min, int max, double *v,
                        int *n) {
  const char *text;
  if (n) { *n = 0; }
  MBD_TRY(mjcf_get(f, e, key, &text));
  return text ? element_numbers(&f->elements, e, key, text, min, max, v, n) : MBD_OK;
}

const char *mjcf_name(const xml_element *e) {
  const char *name = xml_get(e, "name");
  return name && *name ? name : NULL;
}

mbd_status mjcf_number(const mjcf_file *f, const xml_element *e, const char *key, double *v) {
  return mjcf_numbers(f, e, key, 1, 1, v, NULL);
}

mbd_status mjcf_word(const mjcf_file *f, const xml_element *e, const char *key, const char *(*word_at)(int i), int *i) {
  const char *text;
  MBD_TRY(mjcf_get(f, e, key, &text));
  return text ? element_word(&f->elements, e, key, text, word_at, i) : MBD_OK;
}

const char *mjcf_limited_at(int i) {
  static const char *const word[] = {"false", "true", "auto"};
  return i < 3 ? word[i] : NULL;
}

static const char *flag_at(int i) {
  static const char *const word[] = {"false", "true"};
  return i < 2 ? word[i] : NULL;
}

mbd_status mjcf_flag(const mjcf_file *f, const xml_element *e, const char *key, int *is) {
  return mjcf_word(f, e, key, flag_at, is);
}

mbd_status mjcf_mesh_path(const mjcf_file *f, const xml_element *e, const char *file, char **path) {
  const char *folder = f->compiler.mesh_folder ? f->compiler.mesh_folder : "", *slash = strrchr(file, '/');
  const size_t n = strlen(folder);
  if (f->compiler.strip_path && slash) { file = slash + 1; }
  char *inside = mbd_sprintf_dup("%s%s%s", folder, n && folder[n - 1] != '/' ? "/" : "", file);
  if (!inside) { return mjcf_no_memory(f); }
  const mbd_status status = check_inside(f, e, inside);
  *path = status == MBD_OK ? beside(f, inside) : NULL;
  free(inside);
  return status == MBD_OK && !*path ? mjcf_no_memory(f) : status;
}

/* ---- settings ---- */

static const char *inference_at(int i) {
  static const char *const word[] = {"auto", "true", "false"};
  return i < 3 ? word[i] : NULL;
}

static const char *angle_at(int i) {
  static const char *const word[] = {"degree", "radian"};
  return i < 2 ? word[i] : NULL;
}

static mbd_status read_compiler(mjcf_file *f, const xml_element *e) {
  mjcf_compiler *c = &f->compiler;
  const char *folder = xml_get(e, "meshdir"), *coordinate = xml_get(e, "coordinate"), *euler = xml_get(e, "eulerseq");
  int is_radian = c->angle == 1, inference = (int)c->inference;
  /* numbers and words */
  MBD_TRY(mjcf_number(f, e, "boundmass", &c->bound_mass));
  MBD_TRY(mjcf_number(f, e, "boundinertia", &c->bound_inertia));
  MBD_TRY(mjcf_number(f, e, "settotalmass", &c->total_mass));
  MBD_TRY(mjcf_numbers(f, e, "inertiagrouprange", 2, 2, c->group, NULL));
  MBD_TRY(mjcf_flag(f, e, "autolimits", &c->limits_by_range));
  MBD_TRY(mjcf_flag(f, e, "balanceinertia", &c->balance));
  MBD_TRY(mjcf_flag(f, e, "strippath", &c->strip_path));
  MBD_TRY(mjcf_word(f, e, "inertiafromgeom", inference_at, &inference));
  MBD_TRY(mjcf_word(f, e, "angle", angle_at, &is_radian));
  c->angle = is_radian ? 1 : acos(-1.0) / 180, c->inference = (mjcf_inference)inference;
  /* texts */
  if (coordinate && strcmp(coordinate, "local") != 0) {
    return element_fail(&f->elements, e,
                        "coordinate = \"%.40s\", expected local (MuJoCo before 2.3.4 can save such files)", coordinate);
  }
  if (euler && (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3)) {
    return element_fail(&f->elements, e, "eulerseq = \"%.40s\", expected three letters of x, y, z, X, Y, Z", euler);
  }
  if (euler) { memcpy(c->euler, euler, 4); }
  if (!folder) { folder = xml_get(e, "assetdir"); }
  if (!folder) { return MBD_OK; }
  free(c->mesh_folder);
  c->mesh_folder = mbd_strdup(folder);
  return c->mesh_folder ? MBD_OK : mjcf_no_memory(f);
}

static mbd_status read_settings(mjcf_file *f) {
  f->compiler = (mjcf_compiler){.angle = acos(-1.0) / 180, .group = {0, 5}, .limits_by_range = 1, .euler = "xyz"};
  for (int i = 0; i < f->root->nchild; i++) {
    const xml_element *e = f->root->child[i];
    if (strcmp(e->name, "compiler") == 0) { MBD_TRY(read_compiler(f, e)); }
    if (strcmp(e->name, "default") == 0) { MBD_TRY(read_default(f, e, -1)); }
  }
  return MBD_OK;
}

/* ---- the file ---- */

mbd_status mjcf_open(const char *path, robot *r, mjcf_file *f, mbd_error *err) {
  static const char refused[] =
      "is not read, expected a file in which its bodies are written out, as MuJoCo's program "
      "`compile` writes it";
  *f = (mjcf_file){
      .elements = {
          .r = r, .rule = rules, .nrule = (int)(sizeof rules / sizeof rules[0]), .refused = refused, .err = err}};
  MEMORY_TRY(text_list_add(&f->path, &f->npath, path), err, "%s", path);
  MBD_TRY(xml_read(f->path[0], &f->root, err));
  if (strcmp(f->root->name, "mujoco") != 0) {
    return element_fail(&f->elements, f->root, "expected <mujoco>, the root of an MJCF file");
  }
  MBD_TRY(include_all(f, f->root, 1));
  MBD_TRY(element_check(&f->elements, f->root));
  return read_settings(f);
}

void mjcf_close(mjcf_file *f) {
  xml_free(f->root);
  for (int i = 0; i < f->ninclude; i++) { xml_free(f->include[i]); }
  text_list_free(f->path, f->npath);
  mbd_names_free(&f->classes);
  free(f->include), free(f->class), free(f->defaults), free(f->compiler.mesh_folder);
  *f = (mjcf_file){0};
}
