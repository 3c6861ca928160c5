// What a C++ compiler needs to read a generated kernel as its own: the words, the types, and the library functions used.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#define kernel
#define device
#define constant const
#define thread
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
template <typename T, typename U> T as_type(U u) { static_assert(sizeof(T) == sizeof(U), ""); T t; memcpy(&t, &u, sizeof t); return t; }
inline int min(int a, int b) { return b < a ? b : a; }
inline int max(int a, int b) { return a < b ? b : a; }
inline uint min(uint a, uint b) { return b < a ? b : a; }
inline uint max(uint a, uint b) { return a < b ? b : a; }
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline uint popcount(uint x) { return (uint)__builtin_popcount(x); }
inline uint clz(uint x) { return x == 0u ? 32u : (uint)__builtin_clz(x); }
inline uint rotate(uint x, uint n) { n &= 31u; return n == 0u ? x : x << n | x >> (32u - n); }
inline uint mulhi(uint a, uint b) { return (uint)((ulong)a * b >> 32); }
inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
inline float sqrt(float a) { return sqrtf(a); }
inline float floor(float a) { return floorf(a); }
inline float trunc(float a) { return truncf(a); }
inline float rint(float a) { return rintf(a); }
inline float fabs(float a) { return fabsf(a); }
