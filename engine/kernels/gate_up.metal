// First half of an MLP: act = silu(gate x) * (up x), for a dense MLP or for each chosen expert. RMSNorm and the choice of
// experts are folded.

constant bool MOE [[function_constant(15)]];

constant uint WIDTH = ROWS / 2u;        // values of act
constant uint ACT_S = WIDTH / LANES;    // of a lane, for the down projection
constant uint PAIRS = R / 2u;           // gate and up rows alternate; R >= 2

// Grid: (ceil(ROWS / (R*SIMDGROUPS*BLOCKS)), TOP_K or 1) threadgroups of SIMDGROUPS*32 threads.
// memory: K + 12 floats, and one a thread without shuffles.
kernel void gate_up(
    device const float *h [[buffer(0)]],        // [K] hidden state
    device const float *norm [[buffer(1)]],     // [K] weight of the norm before the MLP
    device const uchar *codes [[buffer(2)]],    // [EXPERTS, ROWS, ROW_BYTES], rows gate_0, up_0, gate_1, ...
    device const half *scales [[buffer(3)]],    // [EXPERTS, ROWS, GROUPS]
    device const half *offsets [[buffer(4)]],   // like scales; not read unless AFFINE
    device const float *logits [[buffer(5)]],   // [EXPERTS]; not read unless MOE
    device float *act [[buffer(6)]],            // [TOP_K, WIDTH] by rank, each in lane order
    device uint *ids [[buffer(7)]],             // [TOP_K] chosen experts by rank; written when MOE
    device float *weights [[buffer(8)]],        // [TOP_K] their weights; written when MOE
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *sums = memory + K;
    threadgroup float *shared = sums + 8;
    threadgroup float *scratch = shared + 4;

    uint slot = group.y;
    // One simdgroup chooses; without shuffles all must, with the same result.
    if (MOE && (!USE_SHUFFLE || simdgroup == 0u)) {
        bool write = group.x == 0u && slot == 0u;
        uint chosen = choose_expert(logits, slot, write ? TOP_K : slot + 1u, write, ids, weights, thread_index, scratch);
        if (thread_index == 0u) {
            shared[0] = as_type<float>(chosen);
        }
    }
    stage_norm(h, (device const ushort *)h, 0, norm, memory, sums, thread_index, lane, simdgroup, scratch);
    uint base = MOE ? as_type<uint>(shared[0]) * ROWS : 0u;
    for (uint block = 0; block < BLOCKS; ++block) {
        uint first = ((group.x * BLOCKS + block) * SIMDGROUPS + simdgroup) * R;
        float acc[MAX_R];
        dot_rows(memory, codes, scales, offsets, base + first, base + ROWS, lane, acc);
        float gates[MAX_R];
        float ups[MAX_R];
        for (uint i = 0; i < PAIRS; ++i) {
            gates[i] = acc[2u * i];
            ups[i] = acc[2u * i + 1u];
        }
        float gate = zap(reduce_rows(gates, PAIRS, thread_index, scratch));
        float up = zap(reduce_rows(ups, PAIRS, thread_index, scratch));
        float silu = zap(gate * zap(sigmoid(gate)));
        uint i = first / 2u + lane * PAIRS / LANES;
        if (lane % (LANES / PAIRS) == 0u && i < WIDTH) {
            act[slot * WIDTH + (i % ACT_S) * LANES + i / ACT_S] = zap(silu * up);
        }
    }
}
