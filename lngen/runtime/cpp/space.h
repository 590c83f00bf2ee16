// SPDX-License-Identifier: MIT
// The names of a layer in a program that has others. What depends on a layer, or on the macros that it is compiled with,
// stands in lngen::LNGEN_SPACE, a namespace for each file of kernels: a program includes it for each of them. The rest
// stands in lngen, once. The names of kernels begin with LNGEN_LAYER, which is the layer's name where nothing else is said.
#define LNGEN_PASTED(BEFORE, NAME) BEFORE##_##NAME
#define LNGEN_JOINED(BEFORE, NAME) LNGEN_PASTED(BEFORE, NAME)
#define LNGEN_OWN(NAME) LNGEN_JOINED(LNGEN_LAYER, NAME)
