// Rows of packed int4 times one activation vector.
//
// A matrix has ROWS rows of K columns. Lane l owns columns l*S .. l*S+S-1, S = K/32. Codes are stored as engine/int4
// draws them: unit j of all 32 lanes is contiguous. A lane's span is cut where a group of GROUP columns ends; each piece
// is one chain of fma over integer codes, then one fma by its scale. The 32 lane sums meet in the butterfly.

constant uint K [[function_constant(2)]];      // columns; a multiple of 32
constant uint ROWS [[function_constant(3)]];   // rows (of one expert)
constant bool AFFINE [[function_constant(4)]]; // value = scale * nibble + offset, else scale * (nibble - 8)
constant uint GROUP [[function_constant(5)]];  // columns sharing a scale: 32, 64 or 128
constant uint R [[function_constant(6)]];      // rows a simdgroup holds at once: 1, 2, 4, 8 or 16

constant uint BLOCKS [[function_constant(10)]]; // blocks of R rows a simdgroup takes in turn
constant bool BIAS [[function_constant(11)]];   // a bias is added to each row

#define MAX_R 16
#define MAX_UNIT 16

constant uint S = K / LANES;
constant uint LANE_BYTES = (S + 1u) / 2u;
constant uint LANE_BYTES_LOW_BIT = LANE_BYTES & (0u - LANE_BYTES);
constant uint UNIT_BYTES = LANE_BYTES_LOW_BIT > 8u ? 8u : LANE_BYTES_LOW_BIT;
constant uint UNIT = 2u * UNIT_BYTES; // values in a unit
constant uint ROW_BYTES = LANES * LANE_BYTES;
constant uint GROUPS = (K + GROUP - 1u) / GROUP;

// Groups end at multiples of GROUP, so inside a span they can end only at multiples of CHUNK = gcd(S, GROUP).
constant uint S_LOW_BIT = S & (0u - S);
constant uint CHUNK = S_LOW_BIT > GROUP ? GROUP : S_LOW_BIT;
// Units in a chunk; for odd S a chunk is one value and the units are walked whole.
constant bool ODD = CHUNK < UNIT;
constant uint UNITS_A_STEP = ODD ? 1u : CHUNK / UNIT;
constant uint STEPS = LANE_BYTES / (UNIT_BYTES * UNITS_A_STEP);
// Every chunk is exactly a piece: a span lies within one group, or is a whole number of groups.
constant bool WHOLE = GROUP % S == 0u || S % GROUP == 0u;

// One lane's unit of codes: nibble i is (i < 8 ? x : y) >> 4*(i % 8).
inline uint2 load_unit(device const uchar *p) {
    if (UNIT_BYTES == 8u) {
        return *(device const uint2 *)p;
    }
    if (UNIT_BYTES == 4u) {
        return uint2(*(device const uint *)p, 0u);
    }
    if (UNIT_BYTES == 2u) {
        return uint2(uint(*(device const ushort *)p), 0u);
    }
    return uint2(uint(*p), 0u);
}

// The integer a nibble stands for, as a float.
inline float code_of(uint word, uint i) {
    int n = int((word >> (4u * (i % 8u))) & 15u);
    return AFFINE ? float(n) : float(n - 8);
}

// Row r of the R rows that start at first, or the last row when there are fewer: a simdgroup past the end computes
// the last row again and stores nothing.
inline uint row_at(uint first, uint r, uint end) { return first + r < end ? first + r : end - 1u; }

// Ends a piece in the lanes where cut holds (in every lane when always): adds scale * g, and for affine offset * sum, to acc.
// column is the last of the piece, in this lane. first says that acc holds nothing yet.
inline void end_piece(device const half *scales, device const half *offsets, uint first_row, uint end_row, uint column,
                      bool always, bool cut, bool first, thread float *g, thread float *acc, thread float *sum) {
    for (uint r = 0; r < R; ++r) {
        uint at = row_at(first_row, r, end_row) * GROUPS + column / GROUP;
        float scale = float(scales[at]);
        float a = first ? scale * g[r] : fma(scale, g[r], acc[r]);
        if (AFFINE) {
            a = fma(float(offsets[at]), sum[0], a);
        }
        acc[r] = always || cut ? a : acc[r];
        g[r] = always || cut ? 0.0f : g[r];
    }
    sum[0] = always || cut ? 0.0f : sum[0];
}

// Takes one unit of R rows: g[r] = fma(code, x, g[r]) in rising column. x holds the lane's UNIT activations. fresh says that
// every lane starts a piece here. For odd S, pieces end inside the unit.
inline void dot_unit(device const uchar *codes, device const half *scales, device const half *offsets, uint first_row,
                     uint end_row, uint unit, bool fresh, uint lane, thread const float *x, thread float *g,
                     thread float *acc, thread float *sum) {
    uint2 w[MAX_R];
    for (uint r = 0; r < R; ++r) {
        w[r] = load_unit(codes + row_at(first_row, r, end_row) * ROW_BYTES + unit * (LANES * UNIT_BYTES) + lane * UNIT_BYTES);
    }
    for (uint i = 0; i < UNIT; ++i) {
        uint j = unit * UNIT + i;
        if (ODD && j > 0u && j < S) {
            uint column = lane * S + j;
            end_piece(scales, offsets, first_row, end_row, column - 1u, false, column % GROUP == 0u, false, g, acc, sum);
        }
        if (j < S) {
            if (AFFINE) {
                sum[0] = sum[0] + x[i];
            }
            for (uint r = 0; r < R; ++r) {
                float c = code_of(i < 8u ? w[r].x : w[r].y, i);
                g[r] = fresh && i == 0u ? c * x[i] : fma(c, x[i], g[r]);
            }
        }
    }
}

// Ends the pieces at the end of a step.
inline void dot_step_end(device const half *scales, device const half *offsets, uint first_row, uint end_row, uint step,
                         uint lane, thread float *g, thread float *acc, thread float *sum) {
    bool last = step + 1u == STEPS;
    uint column = lane * S + (last ? S : (step + 1u) * (UNITS_A_STEP * UNIT));
    if (last || WHOLE) {
        end_piece(scales, offsets, first_row, end_row, column - 1u, true, true, WHOLE && step == 0u, g, acc, sum);
    } else if (!ODD) {
        end_piece(scales, offsets, first_row, end_row, column - 1u, false, column % GROUP == 0u, false, g, acc, sum);
    }
}

inline void dot_clear(thread float *g, thread float *acc, thread float *sum) {
    for (uint r = 0; r < R; ++r) {
        g[r] = 0.0f;
        acc[r] = 0.0f;
    }
    sum[0] = 0.0f;
}

// acc[r] becomes this lane's share of row first_row + r, for x in lane order: value i of the lane at x[i*32 + lane].
inline void dot_rows(threadgroup const float *x, device const uchar *codes, device const half *scales,
                     device const half *offsets, uint first_row, uint end_row, uint lane, thread float *acc) {
    float g[MAX_R];
    float sum[1];
    dot_clear(g, acc, sum);
    for (uint step = 0; step < STEPS; ++step) {
        for (uint q = 0; q < UNITS_A_STEP; ++q) {
            uint unit = step * UNITS_A_STEP + q;
            float values[MAX_UNIT];
            for (uint i = 0; i < UNIT; ++i) {
                uint j = unit * UNIT + i;
                values[i] = j < S ? x[j * LANES + lane] : 0.0f;
            }
            dot_unit(codes, scales, offsets, first_row, end_row, unit, WHOLE && q == 0u, lane, values, g, acc, sum);
        }
        dot_step_end(scales, offsets, first_row, end_row, step, lane, g, acc, sum);
    }
}

// The same for x in device memory.
inline void dot_rows(device const float *x, device const uchar *codes, device const half *scales,
                     device const half *offsets, uint first_row, uint end_row, uint lane, thread float *acc) {
    float g[MAX_R];
    float sum[1];
    dot_clear(g, acc, sum);
    for (uint step = 0; step < STEPS; ++step) {
        for (uint q = 0; q < UNITS_A_STEP; ++q) {
            uint unit = step * UNITS_A_STEP + q;
            float values[MAX_UNIT];
            for (uint i = 0; i < UNIT; ++i) {
                uint j = unit * UNIT + i;
                values[i] = j < S ? x[j * LANES + lane] : 0.0f;
            }
            dot_unit(codes, scales, offsets, first_row, end_row, unit, WHOLE && q == 0u, lane, values, g, acc, sum);
        }
        dot_step_end(scales, offsets, first_row, end_row, step, lane, g, acc, sum);
    }
}

// One level of the transposing butterfly: the 2n sums a become n, each lane keeping those of its half. When n is 0 one
// sum is left and the level is a plain one.
inline void fold(thread float *a, uint n, ushort mask, uint thread_index, threadgroup float *scratch) {
    if (n == 0u) {
        a[0] = xor_add(a[0], mask, thread_index, scratch);
        return;
    }
    bool upper = (thread_index & uint(mask)) != 0u;
    for (uint i = 0; i < n; ++i) {
        float keep = upper ? a[n + i] : a[i];
        float send = upper ? a[i] : a[n + i];
        a[i] = keep + exchange(send, mask, thread_index, scratch);
    }
}

// The totals of n rows (a power of two, at most 16) over the 32 lanes: lane l gets row l*n/32. The additions pair the same
// lanes in the same order as lane_sum, so the bits are the same.
inline float reduce_rows(thread float *a, uint n, uint thread_index, threadgroup float *scratch) {
    fold(a, n / 2u, 16, thread_index, scratch);
    fold(a, n / 4u, 8, thread_index, scratch);
    fold(a, n / 8u, 4, thread_index, scratch);
    fold(a, n / 16u, 2, thread_index, scratch);
    fold(a, 0u, 1, thread_index, scratch);
    return a[0];
}
