// The int4 matvec of engine/kernels/project.metal for K = ROWS = 2048 and groups of 64 symmetric codes, in OpenCL C: a
// work-group of 32 for each row, one scale a lane, the lanes summed in local memory as the butterfly pairs them.
#define K 2048u
#define SPAN (K / 32u)

kernel void matvec(global const float *x, global const uint *codes, global const half *scales, global const float *h, global float *out) {
    local float sums[32];
    uint row = get_group_id(0), lane = get_local_id(0);
    float g = 0.0f;
    for (uint unit = 0; unit < SPAN / 16u; ++unit) {
        for (uint part = 0; part < 2u; ++part) {
            uint word = codes[row * (K / 8u) + unit * 64u + lane * 2u + part];
            for (uint i = 0; i < 8u; ++i) {
                int n = (int)((word >> (4u * i)) & 15u) - 8;
                g = fma((float)n, x[(unit * 16u + part * 8u + i) * 32u + lane], g);
            }
        }
    }
    sums[lane] = vload_half(row * (K / 64u) + lane, scales) * g;
    for (uint m = 16; m > 0u; m /= 2u) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < m) {
            sums[lane] = sums[lane] + sums[lane + m];
        }
    }
    if (lane == 0u) {
        float value = h[row] + sums[0];
        out[row] = fabs(value) < 0x1p-40f ? 0.0f : value;
    }
}
