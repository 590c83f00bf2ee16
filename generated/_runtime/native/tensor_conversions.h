// SPDX-License-Identifier: MIT
// Values and results of a type that kernels on the processor do not take, as parameters in 16 bits and labels in 64
// have it. Kernels are passed memory of their own in place of them.
#pragma once
#include "tensors.h"

static float from_bfloat16(uint16_t entry) {
    uint32_t bits = (uint32_t)entry << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Rounds to the nearest, of two equally near ones to the even one.
static uint16_t to_bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return bits >> 31 ? 0xffc0 : 0x7fc0;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static int32_t nearest_whole(int64_t value) {
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : (int32_t)value;
}

// Tests whether an array's type can be had as another one, and a result of that type as the array's.
static int is_converted(int type, int whole, int inside) {
    if (type == INTEGER)
        return inside == INT32 && whole == (SIGNED << 8 | 64);
#ifdef __FLT16_MANT_DIG__
    if (type == FLOAT16)
        return inside == FLOAT32;
#endif
    return type == BFLOAT16 && inside == FLOAT32;
}

static void convert_to_inside(int type, const void *from, void *to, int64_t count) {
    for (int64_t i = 0; type == BFLOAT16 && i < count; ++i)
        ((float *)to)[i] = from_bfloat16(((const uint16_t *)from)[i]);
    for (int64_t i = 0; type == INTEGER && i < count; ++i)
        ((int32_t *)to)[i] = nearest_whole(((const int64_t *)from)[i]);
#ifdef __FLT16_MANT_DIG__
    for (int64_t i = 0; type == FLOAT16 && i < count; ++i)
        ((float *)to)[i] = ((const _Float16 *)from)[i];
#endif
}

static void convert_to_outside(int type, const float *from, void *to, int64_t count) {
    for (int64_t i = 0; type == BFLOAT16 && i < count; ++i)
        ((uint16_t *)to)[i] = to_bfloat16(from[i]);
#ifdef __FLT16_MANT_DIG__
    for (int64_t i = 0; type == FLOAT16 && i < count; ++i)
        ((_Float16 *)to)[i] = (_Float16)from[i];
#endif
}

// The type of a value or result, and that which kernels take there; they differ where it is converted.
struct sides {
    int outside, inside;
    int64_t entries;
};

static struct sides sides_of(const TensorCall *self, const struct work *work, int place) {
    if (place < self->of.values) {
        const struct value *each = self->of.given + place;
        int type = work->arrays[place].type;
        int inside = each->element == CONVERTED ? work->computed : each->element == WHOLE ? INT32 : type;
        return (struct sides){type, inside, entries(work, each->part)};
    }
    const struct result *each = self->of.made + place - self->of.values;
    int inside = each->element == STORED ? work->stored : work->computed;
    return (struct sides){each->of < 0 ? inside : work->inputs[each->of], inside, entries(work, each->part)};
}
