/* The same for complex numbers, as `mbopt plugin` compiles it. */
#define MBD_PLUGIN_COMPLEX
#include "own_force.c"
