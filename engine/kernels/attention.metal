// Attention of one query position over the KV cache, in blocks of 256 positions by absolute position.
//
// A cache page holds the 256 positions of one block and KV head. Keys are stored in tiles of 32 positions: dimension d = l*C + e
// (virtual lane l, C = HEAD_DIM/32 dimensions a lane) of position j is component l%4 of chunk (l/4)*C + e, at
// ((j/32)*(HEAD_DIM/4) + chunk)*128 + (j%32)*4 + l%4. Values are stored plainly: j*HEAD_DIM + d.

constant uint HEAD_DIM [[function_constant(17)]];      // a multiple of 32, at most 256
constant uint HEADS [[function_constant(18)]];         // query heads
constant uint KV_HEADS [[function_constant(19)]];      // divides HEADS
constant uint HEADS_AT_ONCE [[function_constant(20)]]; // query heads that share one pass over a tile; 1..4, divides HEADS_A_KV
constant float QUERY_SCALE [[function_constant(21)]];  // 1/sqrt(HEAD_DIM), folded into q

#define BLOCK 256u
#define STRIPS 8u
#define MAX_C 8
#define MAX_HEADS_AT_ONCE 4
#define MAX_SUMS 32

constant uint C = HEAD_DIM / LANES;
constant uint HEADS_A_KV = HEADS / KV_HEADS;
constant uint CHUNKS = HEAD_DIM / 4u;
constant uint STRIP_ROUNDS = STRIPS / SIMDGROUPS; // SIMDGROUPS is 1, 2, 4 or 8
constant uint HEAD_ROUNDS = (HEADS_A_KV + SIMDGROUPS - 1u) / SIMDGROUPS;
constant uint VECTOR_ROUNDS = (HEADS_A_KV + SIMDGROUPS) / SIMDGROUPS; // query heads and one key

// Head norm and RoPE of one head; on return x[e] is dimension lane*C + e. rope holds (cos, sin) of this position.
inline void rotate_head(device const float *raw, bool is_query, device const float *q_norm, device const float *k_norm,
                        device const float2 *rope, thread float *x, uint thread_index, uint lane, threadgroup float *scratch) {
    float s = 0.0f;
    for (uint e = 0; e < C; ++e) {
        x[e] = raw[lane * C + e];
        s = fma(x[e], x[e], s);
    }
    s = lane_sum(s, thread_index, scratch);
    float mean = quotient(zap(s), float(HEAD_DIM));
    float inverse = zap(quotient(1.0f, root(mean + EPS)));
    for (uint e = 0; e < C; ++e) {
        float weight = is_query ? q_norm[lane * C + e] : k_norm[lane * C + e];
        float y = zap(zap(x[e] * inverse) * weight);
        float other = exchange(y, 16, thread_index, scratch);
        float2 turn = rope[(lane % 16u) * C + e];
        float kept = y * turn.x;
        x[e] = zap(fma(lane < 16u ? -other : other, turn.y, kept));
    }
}

// Products of the four virtual lanes 4i..4i+3 of a score, for each head at once: a chain over C dimensions.
inline void score_leaves(device const half4 *tile, threadgroup const float4 *q, uint i, uint lane, thread float4 *leaf) {
    for (uint e = 0; e < C; ++e) {
        float4 key = float4(tile[(i * C + e) * LANES + lane]);
        for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
            float4 query = q[a * CHUNKS + i * C + e];
            leaf[a] = e == 0u ? query * key : fma(query, key, leaf[a]);
        }
    }
}

// The scores of this thread's position: the 32 virtual lanes' chains, summed as xor 16, 8, 4, 2, 1 pairs them.
inline void score_position(device const half4 *tile, threadgroup const float4 *q, uint lane, thread float *score) {
    float4 even[MAX_HEADS_AT_ONCE];
    float4 odd[MAX_HEADS_AT_ONCE];
    float4 side[MAX_HEADS_AT_ONCE];
    float4 leaf[MAX_HEADS_AT_ONCE];
    score_leaves(tile, q, 0, lane, even);
    score_leaves(tile, q, 4, lane, leaf);
    for (uint a = 0; a < HEADS_AT_ONCE; ++a) { even[a] = even[a] + leaf[a]; }
    score_leaves(tile, q, 2, lane, side);
    score_leaves(tile, q, 6, lane, leaf);
    for (uint a = 0; a < HEADS_AT_ONCE; ++a) { even[a] = even[a] + (side[a] + leaf[a]); }
    score_leaves(tile, q, 1, lane, odd);
    score_leaves(tile, q, 5, lane, leaf);
    for (uint a = 0; a < HEADS_AT_ONCE; ++a) { odd[a] = odd[a] + leaf[a]; }
    score_leaves(tile, q, 3, lane, side);
    score_leaves(tile, q, 7, lane, leaf);
    for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
        odd[a] = odd[a] + (side[a] + leaf[a]);
        float4 sum = even[a] + odd[a];
        score[a] = zap((sum.x + sum.z) + (sum.y + sum.w));
    }
}

// Adds p * v of one position to the sums of each head at once; p holds each head's weight of four positions, of which
// this is number i.
inline void add_value(device const half *value, thread const float4 *p, uint i, uint lane, thread float *sums) {
    for (uint e = 0; e < C; ++e) {
        float v = float(value[e * LANES + lane]);
        for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
            sums[a * C + e] = fma(p[a][i], v, sums[a * C + e]);
        }
    }
}

// Grid: (blocks, KV_HEADS) threadgroups of SIMDGROUPS*32 threads; blocks = position/256 + 1.
// memory: HEADS_A_KV*(HEAD_DIM + 256 + 8) + 8*HEADS_AT_ONCE*HEAD_DIM floats, and one a thread without shuffles.
kernel void attention_block(
    device const float *qkv [[buffer(0)]],      // [(HEADS + 2*KV_HEADS)*HEAD_DIM] q, k, v of the current token
    device const float *q_norm [[buffer(1)]],   // [HEAD_DIM]
    device const float *k_norm [[buffer(2)]],   // [HEAD_DIM]
    device const float2 *rope [[buffer(3)]],    // [positions, HEAD_DIM/2] (cos, sin)
    device half *keys [[buffer(4)]],            // [KV_HEADS, pages, 256*HEAD_DIM]; the newest position is written
    device half *values [[buffer(5)]],          // like keys
    device float *maxima [[buffer(6)]],         // [HEADS, capacity] largest score of a block
    device float *sums [[buffer(7)]],           // [HEADS, capacity] sum of exp(score - maximum)
    device float *partials [[buffer(8)]],       // [HEADS, capacity, HEAD_DIM] values weighted by it
    device const uint *state [[buffer(9)]],     // [1] position of the current token
    constant uint &capacity [[buffer(10)]],     // blocks (pages) a head has room for
    threadgroup float *memory [[threadgroup(0)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]],
    uint simd_lane [[thread_index_in_simdgroup]],
    uint simd_index [[simdgroup_index_in_threadgroup]]) {
    uint lane = USE_SHUFFLE ? simd_lane : thread_index % LANES;
    uint simdgroup = USE_SHUFFLE ? simd_index : thread_index / LANES;
    threadgroup float *q = memory;                              // [HEADS_A_KV, CHUNKS, 4]
    threadgroup float *scores = q + HEADS_A_KV * HEAD_DIM;      // [HEADS_A_KV, 256]
    threadgroup float *strip_maxima = scores + HEADS_A_KV * BLOCK; // [HEADS_A_KV, 8]
    threadgroup float *strip_sums = strip_maxima + HEADS_A_KV * STRIPS; // [8, HEADS_AT_ONCE, HEAD_DIM]
    threadgroup float *scratch = strip_sums + STRIPS * HEADS_AT_ONCE * HEAD_DIM;

    uint pos = state[0];
    uint block = group.x;
    if (block * BLOCK > pos) {
        return;
    }
    uint kv_head = group.y;
    uint first_head = kv_head * HEADS_A_KV;
    uint count = pos - block * BLOCK + 1u; // positions of this block that exist
    count = count < BLOCK ? count : BLOCK;
    bool newest = block == pos / BLOCK;
    device half *key_page = keys + (kv_head * capacity + block) * (BLOCK * HEAD_DIM);
    device half *value_page = values + (kv_head * capacity + block) * (BLOCK * HEAD_DIM);

    // Query heads, and in the newest block the key and value of this position.
    for (uint round = 0; round < VECTOR_ROUNDS; ++round) {
        uint v = round * SIMDGROUPS + simdgroup;
        bool is_query = v < HEADS_A_KV;
        bool is_key = v == HEADS_A_KV && newest;
        if (!USE_SHUFFLE || is_query || is_key) {
            uint row = is_query ? first_head + v : HEADS + kv_head;
            float x[MAX_C];
            rotate_head(qkv + row * HEAD_DIM, is_query, q_norm, k_norm, rope + pos * (HEAD_DIM / 2u), x, thread_index, lane,
                        scratch);
            for (uint e = 0; e < C; ++e) {
                uint chunk = (lane / 4u) * C + e;
                if (is_query) {
                    q[v * HEAD_DIM + chunk * 4u + lane % 4u] = zap(x[e] * QUERY_SCALE);
                }
                if (is_key) {
                    uint j = pos % BLOCK;
                    key_page[((j / LANES) * CHUNKS + chunk) * 128u + (j % LANES) * 4u + lane % 4u] = half(x[e]);
                }
            }
        }
    }
    if (newest) {
        for (uint d = thread_index; d < HEAD_DIM; d += SIMDGROUPS * LANES) {
            value_page[(pos % BLOCK) * HEAD_DIM + d] = half(qkv[(HEADS + KV_HEADS + kv_head) * HEAD_DIM + d]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);

    // Scores: one position a thread, one strip of 32 positions a simdgroup.
    for (uint round = 0; round < STRIP_ROUNDS; ++round) {
        uint strip = round * SIMDGROUPS + simdgroup;
        uint j = strip * LANES + lane;
        for (uint head = 0; head < HEADS_A_KV; head += HEADS_AT_ONCE) {
            float score[MAX_HEADS_AT_ONCE];
            for (uint a = 0; a < HEADS_AT_ONCE; ++a) { score[a] = LOWEST; }
            if (j < count) {
                score_position((device const half4 *)(key_page + strip * (LANES * HEAD_DIM)),
                               (threadgroup const float4 *)(q + head * HEAD_DIM), lane, score);
            }
            for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
                scores[(head + a) * BLOCK + j] = score[a];
                float m = score[a];
                if (!USE_SHUFFLE || strip * LANES < count) {
                    m = lane_max(m, thread_index, scratch);
                }
                if (lane == 0u) {
                    strip_maxima[(head + a) * STRIPS + strip] = m;
                }
            }
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);

    // Weights relative to the block's maximum; +0 where no position exists.
    for (uint round = 0; round < STRIP_ROUNDS; ++round) {
        uint strip = round * SIMDGROUPS + simdgroup;
        uint j = strip * LANES + lane;
        for (uint head = 0; head < HEADS_A_KV; ++head) {
            float m = strip_maxima[head * STRIPS];
            for (uint i = 1; i < STRIPS; ++i) {
                float o = strip_maxima[head * STRIPS + i];
                m = o > m ? o : m;
            }
            float p = 0.0f;
            if (j < count) {
                p = zap(exponential(scores[head * BLOCK + j] - m));
            }
            scores[head * BLOCK + j] = p;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);

    // Sum of the weights: virtual lane l adds positions 8l..8l+7.
    for (uint round = 0; round < HEAD_ROUNDS; ++round) {
        uint head = round * SIMDGROUPS + simdgroup;
        if (!USE_SHUFFLE || head < HEADS_A_KV) {
            uint at = head < HEADS_A_KV ? head : 0u;
            float s = 0.0f;
            for (uint i = 0; i < 8u; ++i) {
                s = s + scores[at * BLOCK + 8u * lane + i];
            }
            s = lane_sum(s, thread_index, scratch);
            if (lane == 0u && head < HEADS_A_KV) {
                float m = strip_maxima[head * STRIPS];
                for (uint i = 1; i < STRIPS; ++i) {
                    float o = strip_maxima[head * STRIPS + i];
                    m = o > m ? o : m;
                }
                maxima[(first_head + head) * capacity + block] = m;
                sums[(first_head + head) * capacity + block] = zap(s);
            }
        }
    }

    // Weighted values: one strip a simdgroup, one dimension in 32 a thread; then the eight strips meet.
    for (uint head = 0; head < HEADS_A_KV; head += HEADS_AT_ONCE) {
        for (uint round = 0; round < STRIP_ROUNDS; ++round) {
            uint strip = round * SIMDGROUPS + simdgroup;
            uint from = strip * LANES;
            uint present = count > from ? count - from : 0u;
            present = present < LANES ? present : LANES;
            float acc[MAX_SUMS];
            for (uint i = 0; i < HEADS_AT_ONCE * C; ++i) { acc[i] = 0.0f; }
            // Four positions a turn; the weights of positions that do not exist are there to be read, and are +0.
            for (uint j = 0; j < present; j += 4u) {
                float4 p[MAX_HEADS_AT_ONCE];
                for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
                    p[a] = *(threadgroup const float4 *)(scores + (head + a) * BLOCK + from + j);
                }
                if (j + 4u <= present) {
                    for (uint i = 0; i < 4u; ++i) {
                        add_value(value_page + (from + j + i) * HEAD_DIM, p, i, lane, acc);
                    }
                } else {
                    for (uint i = 0; i < 3u; ++i) {
                        if (j + i < present) {
                            add_value(value_page + (from + j + i) * HEAD_DIM, p, i, lane, acc);
                        }
                    }
                }
            }
            for (uint a = 0; a < HEADS_AT_ONCE; ++a) {
                for (uint e = 0; e < C; ++e) {
                    strip_sums[(strip * HEADS_AT_ONCE + a) * HEAD_DIM + e * LANES + lane] = acc[a * C + e];
                }
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = thread_index; i < HEADS_AT_ONCE * HEAD_DIM; i += SIMDGROUPS * LANES) {
            uint stride = HEADS_AT_ONCE * HEAD_DIM;
            float total = sum_of_eight(strip_sums[i], strip_sums[stride + i], strip_sums[2u * stride + i],
                                       strip_sums[3u * stride + i], strip_sums[4u * stride + i], strip_sums[5u * stride + i],
                                       strip_sums[6u * stride + i], strip_sums[7u * stride + i]);
            uint a = i / HEAD_DIM;
            partials[((first_head + head + a) * capacity + block) * HEAD_DIM + i % HEAD_DIM] = zap(total);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}

// Merges the blocks of every head in rising order.
// Grid: HEADS threadgroups of HEAD_DIM threads.
kernel void attention_merge(
    device const float *maxima [[buffer(0)]],    // [HEADS, capacity]
    device const float *sums [[buffer(1)]],      // [HEADS, capacity]
    device const float *partials [[buffer(2)]],  // [HEADS, capacity, HEAD_DIM]
    device float *out [[buffer(3)]],             // [HEADS*HEAD_DIM] in lane order, for the output projection
    device const uint *state [[buffer(4)]],      // [1] position of the current token
    constant uint &capacity [[buffer(5)]],
    uint3 group [[threadgroup_position_in_grid]],
    uint thread_index [[thread_index_in_threadgroup]]) {
    uint head = group.x;
    uint blocks = state[0] / BLOCK + 1u;
    float m = maxima[head * capacity];
    for (uint b = 1; b < blocks; ++b) {
        float o = maxima[head * capacity + b];
        m = o > m ? o : m;
    }
    float total = 0.0f;
    float value = 0.0f;
    for (uint b = 0; b < blocks; ++b) {
        float w = zap(exponential(maxima[head * capacity + b] - m));
        total = fma(w, sums[head * capacity + b], total);
        value = fma(w, partials[(head * capacity + b) * HEAD_DIM + thread_index], value);
    }
    uint span = HEADS * HEAD_DIM / LANES;
    uint i = head * HEAD_DIM + thread_index;
    out[(i % span) * LANES + i / span] = zap(quotient(zap(value), total));
}
