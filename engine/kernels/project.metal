// One packed matrix times a vector, added to the residual: the attention output projection and the down projection of
// a dense MLP.

// Grid: ceil(ROWS / (R*SIMDGROUPS*BLOCKS)) threadgroups of SIMDGROUPS*32 threads.
// memory: one float a thread without shuffles.
kernel void project_residual(
    device const float *x [[buffer(0)]],       // [K] in lane order: value i of lane l at i*32 + l
    device const uchar *codes [[buffer(1)]],   // [ROWS, ROW_BYTES]
    device const half *scales [[buffer(2)]],   // [ROWS, GROUPS]
    device const half *offsets [[buffer(3)]],  // like scales; not read unless AFFINE
    device const float *bias [[buffer(4)]],    // [ROWS]; not read unless BIAS
    device const float *h [[buffer(5)]],       // [ROWS] residual
    device float *out [[buffer(6)]],           // [ROWS] h + (matrix x + bias); not h itself
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    for (uint block = 0; block < BLOCKS; ++block) {
        uint first = ((group.x * BLOCKS + block) * SIMDGROUPS + simdgroup) * R;
        float acc[MAX_R];
        dot_rows(x, codes, scales, offsets, first, ROWS, lane, acc);
        float value = reduce_rows(acc, R, thread_index, memory);
        uint row = first + lane * R / LANES;
        if (lane % (LANES / R) == 0u && row < ROWS) {
            if (BIAS) {
                value = value + bias[row];
            }
            out[row] = zap(h[row] + value);
        }
    }
}
