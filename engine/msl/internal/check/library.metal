// The part of the Metal library that is templates of the language itself. Package check reads it before a program.
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

}
