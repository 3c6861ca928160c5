// RMSNorm, folded into the kernels that need the normalised hidden state.

constant float EPS [[function_constant(7)]];
// The hidden state is the embedding row of the current token instead of a buffer.
constant bool EMBED [[function_constant(8)]];
// Embeddings (router weights in router.metal) are float32, else bfloat16.
constant bool WIDE [[function_constant(9)]];

// The sum of squares has 256 virtual threads of NORM_SPAN contiguous values, whatever the threadgroup's size.
#define NORM_SIMDGROUPS 8u
constant uint NORM_SPAN = (K + 255u) / 256u;
constant uint NORM_ROUNDS = (NORM_SIMDGROUPS + SIMDGROUPS - 1u) / SIMDGROUPS;

// Value i of the hidden state.
inline float hidden_at(device const float *h, device const ushort *embeddings, uint token, uint i) {
    if (!EMBED) {
        return h[i];
    }
    if (WIDE) {
        return zap(((device const float *)embeddings)[token * K + i]);
    }
    return zap(widen(embeddings[token * K + i]));
}

// Writes the normalised hidden state to x in lane order: value i of lane l at x[i*32 + l].
// sums holds 8 floats. Ends with a barrier.
inline void stage_norm(device const float *h, device const ushort *embeddings, uint token, device const float *weight,
                       threadgroup float *x, threadgroup float *sums, uint thread_index, uint lane, uint simdgroup,
                       threadgroup float *scratch) {
    for (uint round = 0; round < NORM_ROUNDS; ++round) {
        uint v = round * SIMDGROUPS + simdgroup;
        uint first = (v * LANES + lane) * NORM_SPAN;
        float s = 0.0f;
        // Without shuffles every simdgroup must take part in the exchange.
        if (!USE_SHUFFLE || v * (LANES * NORM_SPAN) < K) {
            for (uint e = 0; e < NORM_SPAN; ++e) {
                if (first + e < K) {
                    float value = hidden_at(h, embeddings, token, first + e);
                    s = fma(value, value, s);
                }
            }
            s = lane_sum(s, thread_index, scratch);
        }
        if (lane == 0u && v < NORM_SIMDGROUPS) {
            sums[v] = s;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float total = sum_of_eight(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]);
    float mean = quotient(zap(total), float(K));
    float inverse = zap(quotient(1.0f, root(mean + EPS)));
    for (uint i = thread_index; i < K; i += SIMDGROUPS * LANES) {
        float value = hidden_at(h, embeddings, token, i);
        x[(i % S) * LANES + i / S] = zap(zap(value * inverse) * weight[i]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
}
