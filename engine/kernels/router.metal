// Router: logits of every expert, and the choice of the best.

constant uint EXPERTS [[function_constant(12)]];  // at most 1024
constant uint TOP_K [[function_constant(13)]];    // at most 16
constant bool NORM_TOP_K [[function_constant(14)]]; // weights sum to one over the chosen, else over all experts

#define MAX_EXPERTS_A_LANE 32
constant uint EXPERTS_A_LANE = (EXPERTS + LANES - 1u) / LANES;

// Router weight i, zapped when the model was loaded.
inline float router_weight(device const ushort *weights, uint i) {
    if (WIDE) {
        return ((device const float *)weights)[i];
    }
    return widen(weights[i]);
}

// Grid: ceil(EXPERTS / (R*SIMDGROUPS)) threadgroups of SIMDGROUPS*32 threads.
// memory: K + 8 floats, and one a thread without shuffles.
kernel void router(
    device const float *h [[buffer(0)]],         // [K] hidden state
    device const float *norm [[buffer(1)]],      // [K] weight of the norm before the MLP
    device const ushort *weights [[buffer(2)]],  // [EXPERTS, K] bfloat16, or float32 when WIDE
    device float *logits [[buffer(3)]],          // [EXPERTS]
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *sums = memory + K;
    threadgroup float *scratch = sums + 8;
    stage_norm(h, (device const ushort *)h, 0, norm, memory, sums, thread_index, lane, simdgroup, scratch);
    uint first = (group.x * SIMDGROUPS + simdgroup) * R;
    float acc[MAX_R];
    for (uint r = 0; r < R; ++r) {
        acc[r] = 0.0f;
    }
    for (uint j = 0; j < S; ++j) {
        float x = memory[j * LANES + lane];
        for (uint r = 0; r < R; ++r) {
            float w = router_weight(weights, row_at(first, r, EXPERTS) * K + lane * S + j);
            acc[r] = j == 0u ? w * x : fma(w, x, acc[r]);
        }
    }
    float value = reduce_rows(acc, R, thread_index, scratch);
    uint expert = first + lane * R / LANES;
    if (lane % (LANES / R) == 0u && expert < EXPERTS) {
        logits[expert] = zap(value);
    }
}

// The expert that follows (logit, expert) in the order of falling logits, then rising index; every lane gets the same.
// l holds the lane's logits: l[i] is that of expert lane + 32*i.
inline uint next_expert(thread const float *l, thread float *logit, uint expert, bool from_start, uint thread_index,
                        threadgroup float *scratch) {
    float best = LOWEST;
    uint index = EXPERTS;
    for (uint i = 0; i < EXPERTS_A_LANE; ++i) {
        uint e = thread_index % LANES + i * LANES;
        bool after = from_start || l[i] < logit[0] || (l[i] == logit[0] && e > expert);
        bool take = e < EXPERTS && after && (index == EXPERTS || l[i] > best);
        best = take ? l[i] : best;
        index = take ? e : index;
    }
    for (uint step = 0; step < 5u; ++step) {
        ushort mask = ushort(16u >> step);
        float other = exchange(best, mask, thread_index, scratch);
        uint other_index = exchange_uint(index, mask, thread_index, scratch);
        bool take = other > best || (other == best && other_index < index);
        best = take ? other : best;
        index = take ? other_index : index;
    }
    logit[0] = best;
    return index;
}

// Chooses experts in rank order up to rank count-1 and returns the one of rank slot. When write holds, also stores the ids
// and weights of all TOP_K; count must then be TOP_K.
inline uint choose_expert(device const float *logits, uint slot, uint count, bool write, device uint *ids,
                          device float *weights, uint thread_index, threadgroup float *scratch) {
    uint lane = thread_index % LANES;
    float l[MAX_EXPERTS_A_LANE];
    for (uint i = 0; i < EXPERTS_A_LANE; ++i) {
        uint e = lane + i * LANES;
        l[i] = e < EXPERTS ? logits[e] : LOWEST;
    }
    uint chosen = 0;
    uint expert = 0;
    float logit[1];
    logit[0] = 0.0f;
    float top = 0.0f;
    float sum = 0.0f;
    float mine = 0.0f;
    for (uint k = 0; k < count; ++k) {
        expert = next_expert(l, logit, expert, k == 0u, thread_index, scratch);
        expert = expert < EXPERTS ? expert : EXPERTS - 1u; // only when logits are NaN
        chosen = k == slot ? expert : chosen;
        if (write) {
            top = k == 0u ? logit[0] : top;
            float p = zap(exponential(logit[0] - top));
            sum = sum + p;
            mine = lane == k ? p : mine;
            if (thread_index == 0u) {
                ids[k] = expert;
            }
        }
    }
    if (write) {
        if (!NORM_TOP_K) {
            // Over all experts: lane l adds those from l*EXPERTS_A_LANE on, in rising order.
            sum = 0.0f;
            for (uint i = 0; i < EXPERTS_A_LANE; ++i) {
                uint e = lane * EXPERTS_A_LANE + i;
                if (e < EXPERTS) {
                    sum = sum + zap(exponential(logits[e] - top));
                }
            }
            sum = lane_sum(sum, thread_index, scratch);
        }
        if (thread_index < TOP_K) {
            weights[thread_index] = zap(quotient(mine, sum));
        }
    }
    return chosen;
}
