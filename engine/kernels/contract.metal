// The numeric contract's primitives; every other source is concatenated after this one.
// The rules are in NUMERICS.md. Bits are part of the specification: an edit here that changes one is a new
// contract, not a clean-up.

#include <metal_stdlib>
using namespace metal;

#pragma METAL fp contract(off)

// Lanes of a simdgroup, and virtual lanes of every dot product.
#define LANES 32u

// The lowest float32: below every logit and score.
#define LOWEST -3.402823466385288598e38f

// True when the device has simdgroup shuffles of width 32. Otherwise lanes exchange through threadgroup
// memory: the same pairs in the same order, so the same bits.
constant bool USE_SHUFFLE [[function_constant(0)]];

// Simdgroups in a threadgroup. Never changes a result.
constant uint SIMDGROUPS [[function_constant(1)]];

// zap keeps float32 subnormals from ever arising: magnitudes below 2^-40 become +0. NaN stays NaN.
inline float zap(float x) { return fabs(x) < 9.094947017729282e-13f ? 0.0f : x; }

// A bfloat16 read as an integer, widened exactly.
inline float widen(ushort x) { return as_type<float>(uint(x) << 16); }

// Division rounded to nearest even; b > 0, no operand or result subnormal. The device's quotient may be one unit
// off: the neighbour on the residual's side is taken when its residual is smaller. Both residuals are exact.
inline float quotient(float a, float b) {
    float q = a / b;
    float r = fma(-q, b, a);
    uint bits = as_type<uint>(q);
    uint away = bits + 1u;
    uint toward = bits - 1u;
    uint other = (r > 0.0f) == (q > 0.0f) ? away : toward;
    float n = as_type<float>(r == 0.0f ? bits : other);
    float s = fma(-n, b, a);
    return fabs(s) < fabs(r) ? n : q;
}

// Square root rounded to nearest even; x > 0 and normal. s is right when s*(s-ulp) < x <= s*(s+ulp) (Tuckerman);
// the sign of each fma is exact.
inline float root(float x) {
    float s = sqrt(x);
    float up = as_type<float>(as_type<uint>(s) + 1u);
    float down = as_type<float>(as_type<uint>(s) - 1u);
    bool raise = fma(-s, up, x) > 0.0f;
    bool lower = fma(-s, down, x) <= 0.0f;
    return raise ? up : (lower ? down : s);
}

// exp, ours: argument clamped to [-80, 80], two-step reduction by ln 2, degree 6 in Horner form, scaled through the
// exponent bits. Relative error below 2^-23; exp(0) is exactly 1. NaN gives NaN.
inline float exponential(float x) {
    float c = x > 80.0f ? 80.0f : (x < -80.0f ? -80.0f : x);
    float n = rint(c * 1.44269502162933349609375f);
    float r = fma(-n, 0.693359375f, c);
    r = fma(-n, -2.12194441701285541057586669921875e-4f, r);
    float p = 1.3814596459269523620605468750e-3f;
    p = fma(p, r, 8.36871750652790069580078125e-3f);
    p = fma(p, r, 4.166838899254798889160156250e-2f);
    p = fma(p, r, 1.66665211319923400878906250e-1f);
    p = fma(p, r, 4.99999940395355224609375e-1f);
    p = fma(p, r, 1.0f);
    p = fma(p, r, 1.0f);
    int e = int(n);
    return p * as_type<float>(uint(e + 127) << 23);
}

// sigmoid(x) = 1 / (1 + exp(-x)).
inline float sigmoid(float x) { return quotient(1.0f, 1.0f + exponential(-x)); }

// The value of the lane whose index differs by mask. thread_index is the caller's in its threadgroup. scratch holds one
// float a thread when USE_SHUFFLE is false, and then every thread of the threadgroup must arrive; else it is unused.
inline float exchange(float v, ushort mask, uint thread_index, threadgroup float *scratch) {
    if (USE_SHUFFLE) {
        return simd_shuffle_xor(v, mask);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    scratch[thread_index] = v;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return scratch[thread_index ^ uint(mask)];
}

// The same for an integer.
inline uint exchange_uint(uint v, ushort mask, uint thread_index, threadgroup float *scratch) {
    if (USE_SHUFFLE) {
        return simd_shuffle_xor(v, mask);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    scratch[thread_index] = as_type<float>(v);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return as_type<uint>(scratch[thread_index ^ uint(mask)]);
}

// One step of a butterfly.
inline float xor_add(float v, ushort mask, uint thread_index, threadgroup float *scratch) {
    return v + exchange(v, mask, thread_index, scratch);
}

inline float xor_max(float v, ushort mask, uint thread_index, threadgroup float *scratch) {
    float o = exchange(v, mask, thread_index, scratch);
    return o > v ? o : v;
}

// The sum over the 32 lanes, xor 16, 8, 4, 2, 1: every lane ends with the same bits.
inline float lane_sum(float v, uint thread_index, threadgroup float *scratch) {
    v = xor_add(v, 16, thread_index, scratch);
    v = xor_add(v, 8, thread_index, scratch);
    v = xor_add(v, 4, thread_index, scratch);
    v = xor_add(v, 2, thread_index, scratch);
    return xor_add(v, 1, thread_index, scratch);
}

// The maximum over the 32 lanes.
inline float lane_max(float v, uint thread_index, threadgroup float *scratch) {
    v = xor_max(v, 16, thread_index, scratch);
    v = xor_max(v, 8, thread_index, scratch);
    v = xor_max(v, 4, thread_index, scratch);
    v = xor_max(v, 2, thread_index, scratch);
    return xor_max(v, 1, thread_index, scratch);
}

// The sum of eight values as xor 4, 2, 1 pairs them.
inline float sum_of_eight(float a0, float a1, float a2, float a3, float a4, float a5, float a6, float a7) {
    return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7));
}
