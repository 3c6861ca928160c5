// Query, key and value rows of one token: RMSNorm folded, one packed matrix, optional bias.

// Grid: ceil(ROWS / (R*SIMDGROUPS*BLOCKS)) threadgroups of SIMDGROUPS*32 threads.
// memory: K + 8 floats, and one a thread without shuffles.
kernel void qkv(
    device const float *h [[buffer(0)]],            // [K] hidden state; not read when EMBED
    device const float *norm [[buffer(1)]],         // [K] weight of the input norm
    device const uchar *codes [[buffer(2)]],        // [ROWS, ROW_BYTES]
    device const half *scales [[buffer(3)]],        // [ROWS, GROUPS]
    device const half *offsets [[buffer(4)]],       // like scales; not read unless AFFINE
    device const float *bias [[buffer(5)]],         // [ROWS]; not read unless BIAS
    device float *out [[buffer(6)]],                // [ROWS] q, k, v before head norm and RoPE
    device const ushort *embeddings [[buffer(7)]],  // [vocab, K] bfloat16, or float32 when WIDE; not read unless EMBED
    device const uint *tokens [[buffer(8)]],        // token id of each position
    device const uint *state [[buffer(9)]],         // [1] position of the current token
    device float *h_out [[buffer(10)]],             // [K] the embedding row; written by threadgroup 0 when EMBED
    constant uint &vocab [[buffer(11)]],
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *sums = memory + K;
    threadgroup float *scratch = sums + 8;

    uint token = 0;
    if (EMBED) {
        token = tokens[state[0]];
        token = token < vocab ? token : vocab - 1u;
        if (group.x == 0u) {
            for (uint i = thread_index; i < K; i += SIMDGROUPS * LANES) {
                h_out[i] = hidden_at(h, embeddings, token, i);
            }
        }
    }
    stage_norm(h, embeddings, token, norm, memory, sums, thread_index, lane, simdgroup, scratch);
    for (uint block = 0; block < BLOCKS; ++block) {
        uint first = ((group.x * BLOCKS + block) * SIMDGROUPS + simdgroup) * R;
        float acc[MAX_R];
        dot_rows(memory, codes, scales, offsets, first, ROWS, lane, acc);
        float value = reduce_rows(acc, R, thread_index, scratch);
        uint row = first + lane * R / LANES;
        if (lane % (LANES / R) == 0u && row < ROWS) {
            if (BIAS) {
                value = value + bias[row];
            }
            out[row] = zap(value);
        }
    }
}
