// Second half of a sparse MLP: the chosen experts' down projections, mixed in rank order and added to the residual.

// Simdgroup e takes the expert of rank e, so SIMDGROUPS = TOP_K; the ranks meet in threadgroup memory.
// Grid: ceil(ROWS / (R*BLOCKS)) threadgroups of TOP_K*32 threads.
// memory: TOP_K*R floats, and one a thread without shuffles.
kernel void expert_down(
    device const float *act [[buffer(0)]],      // [TOP_K, K] by rank, each in lane order
    device const uint *ids [[buffer(1)]],       // [TOP_K]
    device const float *weights [[buffer(2)]],  // [TOP_K]
    device const uchar *codes [[buffer(3)]],    // [EXPERTS, ROWS, ROW_BYTES]
    device const half *scales [[buffer(4)]],    // [EXPERTS, ROWS, GROUPS]
    device const half *offsets [[buffer(5)]],   // like scales; not read unless AFFINE
    device const float *h [[buffer(6)]],        // [ROWS] residual
    device float *out [[buffer(7)]],            // [ROWS] h + sum of w_k * dot_k; not h itself
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *scratch = memory + TOP_K * R;
    uint id = ids[simdgroup];
    uint base = (id < EXPERTS ? id : EXPERTS - 1u) * ROWS;
    for (uint block = 0; block < BLOCKS; ++block) {
        uint first = (group.x * BLOCKS + block) * R;
        float acc[MAX_R];
        dot_rows(act + simdgroup * K, codes, scales, offsets, base + first, base + ROWS, lane, acc);
        float value = reduce_rows(acc, R, thread_index, scratch);
        if (lane % (LANES / R) == 0u) {
            memory[simdgroup * R + lane * R / LANES] = zap(value);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (thread_index < R && first + thread_index < ROWS) {
            float mix = 0.0f;
            for (uint k = 0; k < TOP_K; ++k) {
                mix = fma(weights[k], memory[k * R + thread_index], mix);
            }
            out[first + thread_index] = zap(h[first + thread_index] + mix);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}
