// The portable build: four floats a vector (SSE2 or NEON).
#define ISA base
#define VW 4
#define MR_MAX 4
#include "kernels_impl.h"
