// Output head: final RMSNorm folded, logits of every token, argmax with ties to the lowest id, token feedback.

constant bool STORE_LOGITS [[function_constant(16)]];

// Stands for "some logit was not finite"; no token has this id.
#define NO_TOKEN 0xffffffffu

// The better of two candidates: NO_TOKEN, then the higher value, then the lower id.
inline bool beats(float value, uint token, float best, uint best_token) {
    return best_token != NO_TOKEN &&
           (token == NO_TOKEN || value > best || (value == best && token < best_token));
}

// Grid: ceil(ROWS / (R*SIMDGROUPS*BLOCKS)) threadgroups of SIMDGROUPS*32 threads.
// memory: K + 8 + 2*SIMDGROUPS floats, and one a thread without shuffles.
kernel void lm_head(
    device const float *h [[buffer(0)]],        // [K] hidden state
    device const float *norm [[buffer(1)]],     // [K] weight of the final norm
    device const uchar *codes [[buffer(2)]],    // [ROWS, ROW_BYTES], ROWS = vocabulary
    device const half *scales [[buffer(3)]],    // [ROWS, GROUPS]
    device const half *offsets [[buffer(4)]],   // like scales; not read unless AFFINE
    device float *logits [[buffer(5)]],         // [ROWS]; written when STORE_LOGITS
    device float *values [[buffer(6)]],         // [threadgroups] best logit
    device uint *best_tokens [[buffer(7)]],     // [threadgroups] its token, or NO_TOKEN
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *sums = memory + K;
    threadgroup float *candidates = sums + 8;
    threadgroup float *scratch = candidates + 2u * SIMDGROUPS;
    stage_norm(h, (device const ushort *)h, 0, norm, memory, sums, thread_index, lane, simdgroup, scratch);

    float best = LOWEST;
    uint token = ROWS;
    for (uint block = 0; block < BLOCKS; ++block) {
        uint first = ((group.x * BLOCKS + block) * SIMDGROUPS + simdgroup) * R;
        float acc[MAX_R];
        dot_rows(memory, codes, scales, offsets, first, ROWS, lane, acc);
        float value = zap(reduce_rows(acc, R, thread_index, scratch));
        uint row = first + lane * R / LANES;
        if (lane % (LANES / R) == 0u && row < ROWS) {
            if (STORE_LOGITS) {
                logits[row] = value;
            }
            bool finite = fabs(value) <= 3.402823466385288598e38f;
            uint candidate = finite ? row : NO_TOKEN;
            bool take = beats(value, candidate, best, token);
            best = take ? value : best;
            token = take ? candidate : token;
        }
    }
    for (uint step = 0; step < 5u; ++step) {
        ushort mask = ushort(16u >> step);
        float other = exchange(best, mask, thread_index, scratch);
        uint other_token = exchange_uint(token, mask, thread_index, scratch);
        bool take = beats(other, other_token, best, token);
        best = take ? other : best;
        token = take ? other_token : token;
    }
    if (lane == 0u) {
        candidates[2u * simdgroup] = best;
        candidates[2u * simdgroup + 1u] = as_type<float>(token);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (thread_index == 0u) {
        for (uint s = 1; s < SIMDGROUPS; ++s) {
            float other = candidates[2u * s];
            uint other_token = as_type<uint>(candidates[2u * s + 1u]);
            bool take = beats(other, other_token, best, token);
            best = take ? other : best;
            token = take ? other_token : token;
        }
        values[group.x] = best;
        best_tokens[group.x] = token;
    }
}

// Ends a step: the best of all threadgroups' candidates becomes the token of the next position, and the position
// advances. Grid: 1 threadgroup of SIMDGROUPS*32 threads, SIMDGROUPS = 1.
// memory: one float a thread without shuffles.
kernel void argmax(
    device const float *values [[buffer(0)]],       // [count]
    device const uint *best_tokens [[buffer(1)]],   // [count]
    device uint *tokens [[buffer(2)]],              // token id of each position
    device uint *state [[buffer(3)]],               // [1] position of the current token
    constant uint &count [[buffer(4)]],
    threadgroup float *memory [[threadgroup(0)]],
    uint thread_index [[thread_index_in_threadgroup]]) {
    float best = LOWEST;
    uint token = NO_TOKEN - 1u;
    for (uint i = thread_index; i < count; i += LANES) {
        bool take = beats(values[i], best_tokens[i], best, token);
        best = take ? values[i] : best;
        token = take ? best_tokens[i] : token;
    }
    for (uint step = 0; step < 5u; ++step) {
        ushort mask = ushort(16u >> step);
        float other = exchange(best, mask, thread_index, memory);
        uint other_token = exchange_uint(token, mask, thread_index, memory);
        bool take = beats(other, other_token, best, token);
        best = take ? other : best;
        token = take ? other_token : token;
    }
    if (thread_index == 0u) {
        uint pos = state[0];
        tokens[pos + 1u] = token;
        state[0] = pos + 1u;
    }
}

// Ends a step whose next token is known: the position advances. Grid: 1 threadgroup of 32 threads.
kernel void advance(device uint *state [[buffer(0)]], // [1] position of the current token
                    uint thread_index [[thread_index_in_threadgroup]]) {
    if (thread_index == 0u) {
        state[0] = state[0] + 1u;
    }
}
