// Included before the source of kernels: gives a plain C++ compiler the part of CUDA C++ that lngen emits.
#pragma once
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "qualifiers.h"

#include "block.h"
#include "copies.cuh"
#include "mathematics.h"
#include "memory.h"
#include "registry.h"
#include "warp.h"
