// The part of the Metal library that is written in the language itself. Package check reads it before a program. Functions are
// templates, so that one that a program does not call is not checked.
#define LAZY template <typename = void> inline

namespace metal {

template <typename T, T v>
struct integral_constant {
    static constexpr constant T value = v;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const thread { return v; }
    constexpr operator T() const constant { return v; }
    constexpr T operator()() const thread { return v; }
    constexpr T operator()() const constant { return v; }
};
template <bool B>
using bool_constant = integral_constant<bool, B>;

template <typename T, size_t N>
struct array {
    T elements[N];
    using value_type = T;
    constexpr size_t size() const thread { return N; }
    constexpr size_t size() const device { return N; }
    constexpr size_t size() const constant { return N; }
    constexpr size_t size() const threadgroup { return N; }
    thread T &operator[](size_t i) thread { return elements[i]; }
    thread const T &operator[](size_t i) const thread { return elements[i]; }
    device T &operator[](size_t i) device { return elements[i]; }
    device const T &operator[](size_t i) const device { return elements[i]; }
    constant const T &operator[](size_t i) const constant { return elements[i]; }
    threadgroup T &operator[](size_t i) threadgroup { return elements[i]; }
    threadgroup const T &operator[](size_t i) const threadgroup { return elements[i]; }
};

template <typename T, typename U>
struct pair {
    T first;
    U second;
};

// A ballot: bit i is lane i's vote. MSL leaves the bits above the lanes of a simdgroup open; here they are 0.
template <typename V, V lanes>
struct vote_of {
    using vote_t = V;
    V bits;
    explicit constexpr vote_of(V v = 0) thread : bits(v & lanes) {}
    explicit constexpr operator V() const thread { return bits; }
    bool all() const thread { return bits == lanes; }
    bool any() const thread { return bits != 0; }
};
using simd_vote = vote_of<ulong, 0xffffffff>;
using quad_vote = vote_of<uint, 15>;
LAZY simd_vote simd_ballot(bool vote) { return simd_vote(__metal_simd_ballot_bits(vote)); }
LAZY simd_vote simd_active_threads_mask() { return simd_vote(__metal_simd_ballot_bits(true)); }
LAZY quad_vote quad_ballot(bool vote) { return quad_vote(__metal_quad_ballot_bits(vote)); }
LAZY quad_vote quad_active_threads_mask() { return quad_vote(__metal_quad_ballot_bits(true)); }

// Packing rounds to nearest even and takes NaN for 0; the first component stands in the lowest bits, but for 565, where it stands in
// the highest. Unpacking divides in float, then rounds to half where that is asked for.
LAZY uint pack_float_to_unorm4x8(float4 x) {
    uint4 n = uint4(rint(saturate(x) * 255.0f));
    return n.x | n.y << 8 | n.z << 16 | n.w << 24;
}
LAZY uint pack_float_to_snorm4x8(float4 x) {
    uint4 n = uint4(int4(rint(clamp(select(x, float4(0.0f), isnan(x)), -1.0f, 1.0f) * 127.0f))) & 255u;
    return n.x | n.y << 8 | n.z << 16 | n.w << 24;
}
LAZY uint pack_float_to_unorm2x16(float2 x) {
    uint2 n = uint2(rint(saturate(x) * 65535.0f));
    return n.x | n.y << 16;
}
LAZY uint pack_float_to_snorm2x16(float2 x) {
    uint2 n = uint2(int2(rint(clamp(select(x, float2(0.0f), isnan(x)), -1.0f, 1.0f) * 32767.0f))) & 65535u;
    return n.x | n.y << 16;
}
LAZY uint pack_float_to_unorm10a2(float4 x) {
    uint4 n = uint4(rint(saturate(x) * float4(1023.0f, 1023.0f, 1023.0f, 3.0f)));
    return n.x | n.y << 10 | n.z << 20 | n.w << 30;
}
LAZY uint pack_float_to_snorm10a2(float4 x) {
    float4 y = clamp(select(x, float4(0.0f), isnan(x)), -1.0f, 1.0f) * float4(511.0f, 511.0f, 511.0f, 1.0f);
    uint4 n = uint4(int4(rint(y))) & uint4(1023u, 1023u, 1023u, 3u);
    return n.x | n.y << 10 | n.z << 20 | n.w << 30;
}
LAZY ushort pack_float_to_unorm565(float3 x) {
    uint3 n = uint3(rint(saturate(x) * float3(31.0f, 63.0f, 31.0f)));
    return ushort(n.x << 11 | n.y << 5 | n.z);
}
LAZY uint pack_float_to_srgb_unorm4x8(float4 x) {
    float3 c = saturate(x.xyz);
    c = select(1.055f * pow(c, float3(1.0f / 2.4f)) - 0.055f, 12.92f * c, c < 0.0031308f);
    return pack_float_to_unorm4x8(float4(c, x.w));
}
LAZY float4 unpack_unorm4x8_to_float(uint x) { return float4(as_type<uchar4>(x)) / 255.0f; }
LAZY float4 unpack_snorm4x8_to_float(uint x) { return max(float4(as_type<char4>(x)) / 127.0f, -1.0f); }
LAZY float2 unpack_unorm2x16_to_float(uint x) { return float2(as_type<ushort2>(x)) / 65535.0f; }
LAZY float2 unpack_snorm2x16_to_float(uint x) { return max(float2(as_type<short2>(x)) / 32767.0f, -1.0f); }
LAZY float4 unpack_unorm10a2_to_float(uint x) {
    return float4(uint4(x & 1023u, x >> 10 & 1023u, x >> 20 & 1023u, x >> 30)) / float4(1023.0f, 1023.0f, 1023.0f, 3.0f);
}
LAZY float4 unpack_snorm10a2_to_float(uint x) {
    int4 n = int4(int(x << 22) >> 22, int(x << 12) >> 22, int(x << 2) >> 22, int(x) >> 30);
    return max(float4(n) / float4(511.0f, 511.0f, 511.0f, 1.0f), -1.0f);
}
LAZY float3 unpack_unorm565_to_float(ushort x) {
    return float3(uint3(x >> 11, x >> 5 & 63, x & 31)) / float3(31.0f, 63.0f, 31.0f);
}
LAZY float4 unpack_unorm4x8_srgb_to_float(uint x) {
    float4 y = unpack_unorm4x8_to_float(x);
    return float4(select(pow((y.xyz + 0.055f) / 1.055f, float3(2.4f)), y.xyz / 12.92f, y.xyz <= 0.04045f), y.w);
}
LAZY uint pack_half_to_unorm4x8(half4 x) { return pack_float_to_unorm4x8(float4(x)); }
LAZY uint pack_half_to_snorm4x8(half4 x) { return pack_float_to_snorm4x8(float4(x)); }
LAZY uint pack_half_to_unorm2x16(half2 x) { return pack_float_to_unorm2x16(float2(x)); }
LAZY uint pack_half_to_snorm2x16(half2 x) { return pack_float_to_snorm2x16(float2(x)); }
LAZY uint pack_half_to_unorm10a2(half4 x) { return pack_float_to_unorm10a2(float4(x)); }
LAZY uint pack_half_to_snorm10a2(half4 x) { return pack_float_to_snorm10a2(float4(x)); }
LAZY ushort pack_half_to_unorm565(half3 x) { return pack_float_to_unorm565(float3(x)); }
LAZY uint pack_half_to_srgb_unorm4x8(half4 x) { return pack_float_to_srgb_unorm4x8(float4(x)); }
LAZY half4 unpack_unorm4x8_to_half(uint x) { return half4(unpack_unorm4x8_to_float(x)); }
LAZY half4 unpack_snorm4x8_to_half(uint x) { return half4(unpack_snorm4x8_to_float(x)); }
LAZY half2 unpack_unorm2x16_to_half(uint x) { return half2(unpack_unorm2x16_to_float(x)); }
LAZY half2 unpack_snorm2x16_to_half(uint x) { return half2(unpack_snorm2x16_to_float(x)); }
LAZY half4 unpack_unorm10a2_to_half(uint x) { return half4(unpack_unorm10a2_to_float(x)); }
LAZY half4 unpack_snorm10a2_to_half(uint x) { return half4(unpack_snorm10a2_to_float(x)); }
LAZY half3 unpack_unorm565_to_half(ushort x) { return half3(unpack_unorm565_to_float(x)); }
LAZY half4 unpack_unorm4x8_srgb_to_half(uint x) { return half4(unpack_unorm4x8_srgb_to_float(x)); }

}
