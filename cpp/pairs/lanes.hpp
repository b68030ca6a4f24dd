// Some numbers at a time: as many as the widest vector instructions of the processor take.
//
// Code is a template over the type of so many numbers, "lanes": V, from which everything else follows. What is marked
// GRADEVAL_INLINE becomes part of its caller and is compiled for the instructions of that one; on other compilers and
// processors the same code works with what there is.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "text/bytes.hpp"

namespace gradeval {

#if defined(__GNUC__)

using TwoLanes = double __attribute__((vector_size(16)));
using FourLanes = double __attribute__((vector_size(32)));
using EightLanes = double __attribute__((vector_size(64)));
using AnyLanes = TwoLanes;  ///< on a processor of which nothing is known

template <class V>
using BitsOf = decltype(V{} < V{});

template <class V>
GRADEVAL_INLINE V with_bits(BitsOf<V> bits) {
    return reinterpret_cast<V>(bits);
}
template <class V>
GRADEVAL_INLINE BitsOf<V> bits_of(V lanes) {
    return reinterpret_cast<BitsOf<V>>(lanes);
}
template <class V>
GRADEVAL_INLINE V choose(BitsOf<V> which, V yes, V no) {
    return which ? yes : no;
}
template <class Bits>
GRADEVAL_INLINE Bits shift_left(Bits bits, int places) {
    return bits << places;
}
template <class Bits>
GRADEVAL_INLINE Bits shift_right(Bits bits, int places) {
    return bits >> places;
}

#else

/// The same by loops, which compilers turn into vector instructions.
template <class T>
struct Eight {
    T at[8];
    T operator[](std::size_t i) const { return at[i]; }
    T& operator[](std::size_t i) { return at[i]; }
};
using Lanes = Eight<double>;
using LaneBits = Eight<std::int64_t>;
using AnyLanes = Lanes;

template <class V>
using BitsOf = LaneBits;

template <class R, class F>
R each(F&& of) {
    R result;
    for (std::size_t i = 0; i < 8; ++i) result.at[i] = of(i);
    return result;
}
inline Lanes same(double value) { return each<Lanes>([&](std::size_t) { return value; }); }
#define GRADEVAL_LANES(RESULT, TYPE, OPERATOR, VALUE)                                          \
    inline RESULT operator OPERATOR(const TYPE& a, const TYPE& b) {                            \
        return each<RESULT>([&](std::size_t i) { return VALUE(a.at[i] OPERATOR b.at[i]); });   \
    }
#define GRADEVAL_MASK(holds) ((holds) ? std::int64_t{-1} : std::int64_t{0})
GRADEVAL_LANES(Lanes, Lanes, +, )
GRADEVAL_LANES(Lanes, Lanes, -, )
GRADEVAL_LANES(Lanes, Lanes, *, )
GRADEVAL_LANES(Lanes, Lanes, /, )
GRADEVAL_LANES(LaneBits, Lanes, <, GRADEVAL_MASK)
GRADEVAL_LANES(LaneBits, Lanes, >, GRADEVAL_MASK)
GRADEVAL_LANES(LaneBits, Lanes, >=, GRADEVAL_MASK)
GRADEVAL_LANES(LaneBits, LaneBits, &, )
GRADEVAL_LANES(LaneBits, LaneBits, -, )
GRADEVAL_LANES(LaneBits, LaneBits, +, )
#undef GRADEVAL_LANES
#undef GRADEVAL_MASK
inline Lanes operator-(const Lanes& a) { return each<Lanes>([&](std::size_t i) { return -a.at[i]; }); }
inline Lanes operator+(const Lanes& a, double b) { return a + same(b); }
inline Lanes operator-(const Lanes& a, double b) { return a - same(b); }
inline Lanes operator*(const Lanes& a, double b) { return a * same(b); }
inline Lanes operator/(const Lanes& a, double b) { return a / same(b); }
inline Lanes operator+(double a, const Lanes& b) { return same(a) + b; }
inline Lanes operator-(double a, const Lanes& b) { return same(a) - b; }
inline Lanes operator*(double a, const Lanes& b) { return same(a) * b; }
inline Lanes operator/(double a, const Lanes& b) { return same(a) / b; }
inline LaneBits operator<(const Lanes& a, double b) { return a < same(b); }
inline LaneBits operator>(const Lanes& a, double b) { return a > same(b); }
inline LaneBits operator&(const LaneBits& a, std::int64_t b) { return each<LaneBits>([&](std::size_t i) { return a.at[i] & b; }); }
inline LaneBits operator+(const LaneBits& a, std::int64_t b) { return each<LaneBits>([&](std::size_t i) { return a.at[i] + b; }); }
inline Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }
inline Lanes& operator-=(Lanes& a, const Lanes& b) { return a = a - b; }
inline Lanes& operator*=(Lanes& a, const Lanes& b) { return a = a * b; }
template <class V>
Lanes with_bits(const LaneBits& bits) { return std::bit_cast<Lanes>(bits); }
inline LaneBits bits_of(const Lanes& lanes) { return std::bit_cast<LaneBits>(lanes); }
inline Lanes choose(const LaneBits& which, const Lanes& yes, const Lanes& no) {
    return each<Lanes>([&](std::size_t i) { return which.at[i] ? yes.at[i] : no.at[i]; });
}
inline LaneBits shift_left(const LaneBits& bits, int places) {
    return each<LaneBits>([&](std::size_t i) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits.at[i]) << places);
    });
}
inline LaneBits shift_right(const LaneBits& bits, int places) {
    return each<LaneBits>([&](std::size_t i) { return bits.at[i] >> places; });
}

#endif

template <class V>
inline constexpr std::size_t lanes_in = sizeof(V) / sizeof(double);

template <class V>
GRADEVAL_INLINE V all_lanes(double value) {
    return V{} + value;
}
template <class V>
GRADEVAL_INLINE V load(const double* from) {
    V lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
template <class V>
GRADEVAL_INLINE void store(const V& lanes, double* to) {
    std::memcpy(to, &lanes, sizeof lanes);
}
template <class V>
GRADEVAL_INLINE double sum_of(const V& lanes) {
    double sum = 0.0;
    for (std::size_t i = 0; i < lanes_in<V>; ++i) sum += lanes[i];
    return sum;
}
template <class V>
GRADEVAL_INLINE V size_of(const V& lanes) {
    return with_bits<V>(bits_of(lanes) & INT64_MAX);
}
template <class V>
GRADEVAL_INLINE V smaller(const V& a, const V& b) {
    return choose(a < b, a, b);
}
template <class V>
GRADEVAL_INLINE V larger(const V& a, const V& b) {
    return choose(a > b, a, b);
}

/// The next multiple of the number of lanes: arrays that are read and written so many at a time are so long.
template <class V>
constexpr std::size_t whole_lanes(std::size_t count) {
    return (count + lanes_in<V> - 1) / lanes_in<V> * lanes_in<V>;
}

/// Memory that begins where a line of the cache does: lanes are then in one line.
template <class T>
struct LineAllocator {
    using value_type = T;
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) noexcept {}
    T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), line)); }
    void deallocate(T* memory, std::size_t) noexcept { ::operator delete(memory, line); }
    bool operator==(const LineAllocator&) const noexcept { return true; }

  private:
    static constexpr std::align_val_t line{64};
};
using Doubles = std::vector<double, LineAllocator<double>>;

/// Lanes one after another, in memory of somebody else. (The compiler must not think that its stores change the pointer.)
template <class V>
struct LaneSpan {
    double* first;
    GRADEVAL_INLINE V operator[](std::size_t i) const { return load<V>(first + i * lanes_in<V>); }
    GRADEVAL_INLINE void set(std::size_t i, const V& lanes) const { store(lanes, first + i * lanes_in<V>); }
    GRADEVAL_INLINE void add(std::size_t i, const V& lanes) const { set(i, (*this)[i] + lanes); }
    double& at(std::size_t i, std::size_t lane) const noexcept { return first[i * lanes_in<V> + lane]; }
};

/// Room for lanes one after another.
template <class V>
class LaneArray {
  public:
    LaneSpan<V> assign(std::size_t size) {
        values_.assign(size * lanes_in<V>, 0.0);
        return span();
    }
    LaneSpan<V> resize(std::size_t size) {
        values_.resize(size * lanes_in<V>);
        return span();
    }
    LaneSpan<V> span() noexcept { return {values_.data()}; }

  private:
    Doubles values_;
};

/// sum_i coefficients[i] x^i.
template <class V, std::size_t count>
GRADEVAL_INLINE V polynomial(const double (&coefficients)[count], const V& x) {
    V sum = all_lanes<V>(coefficients[count - 1]);
    for (std::size_t i = count - 1; i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
}

/// What is added to it is rounded to a whole number, which then is in its last bits: 1.5 * 2^52.
inline constexpr double ROUNDS = 6755399441055744.0;

/// 2^(r + whole) for |r| <= 1/2, where `rounded` is ROUNDS + whole. A polynomial, fitted in many digits to 4e-18.
template <class V>
GRADEVAL_INLINE V power_of_two(const V& r, const V& rounded) {
    constexpr double by_power[] = {1.0,
                                   0.69314718055994530925,
                                   0.24022650695910159567,
                                   0.055504108664821627039,
                                   0.0096181291075872566681,
                                   0.0013333558146406470697,
                                   0.00015403530463724354209,
                                   0.000015252733841556772589,
                                   1.3215432535912376166e-6,
                                   1.0178057087733941105e-7,
                                   7.0741942972885210056e-9,
                                   4.455817908336064493e-10};
    return with_bits<V>(bits_of(polynomial(by_power, r)) + shift_left(bits_of(rounded) - bits_of(all_lanes<V>(ROUNDS)), 52));
}

/// 2^x for |x| <= 1000, to 2e-16 |x|.
template <class V>
GRADEVAL_INLINE V exp2_of(const V& x) {
    const V rounded = x + ROUNDS;
    return power_of_two(x - (rounded - ROUNDS), rounded);
}

/// exp(x) to 4e-16; 0 below -708, and as if x were 709 above it.
template <class V>
GRADEVAL_INLINE V exp_of(const V& x) {
    const V bounded = smaller(larger(x, all_lanes<V>(-708.0)), all_lanes<V>(709.0));
    const V rounded = bounded * 1.4426950408889634 + ROUNDS;
    const V whole = rounded - ROUNDS;
    const V r = (bounded - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10;
    return choose(x < -708.0, V{}, power_of_two(r * 1.4426950408889634, rounded));
}

/// log(1 + x) for x from 0 to 1, to 3e-16 of its size: 2 artanh(z), z = x / (2 + x) <= 1/3.
template <class V>
GRADEVAL_INLINE V log_one_plus(const V& x) {
    const V z = x / (2.0 + x);
    const V square = z * z;
    V sum = all_lanes<V>(1.0 / 33);
    for (int odd = 31; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
    return 2.0 * z * sum;
}

/// log(x) for positive x that are no subnormal numbers, to 4e-16 or so much of its size: with x = 2^e m and m from
/// sqrt(1/2) to sqrt(2), it is e log(2) + 2 artanh(z), z = (m - 1) / (m + 1).
template <class V>
GRADEVAL_INLINE V log_of(const V& x) {
    constexpr std::int64_t lowest = 0x3FE6A09E667F3BCD;  // the bits of sqrt(1/2)
    constexpr std::int64_t bias = std::int64_t{1024} << 52;
    const auto raised = shift_right(bits_of(x) + (bias - lowest), 52);  // 1024 + e
    const V whole = with_bits<V>(raised + bits_of(all_lanes<V>(ROUNDS))) - (ROUNDS + 1024.0);
    const V m = with_bits<V>(bits_of(x) - shift_left(raised, 52) + bias);
    const V z = (m - 1.0) / (m + 1.0);
    const V square = z * z;
    V sum = all_lanes<V>(1.0 / 21);
    for (int odd = 19; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
    return whole * 0.693147180369123816490 + (whole * 1.90821492927058770002e-10 + 2.0 * z * sum);
}

#if defined(__GNUC__) && defined(__x86_64__)
#define GRADEVAL_DISPATCH 1

template <class Work>
[[gnu::target("avx2,fma")]] void with_avx2(Work& work) {
    work();
}

template <class Work>
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma")]] void with_avx512(Work& work) {
    work();
}

#endif

/// How many numbers at a time are best on this processor. The environment variable GRADEVAL_VECTORS takes fewer, to test
/// what other processors compute: plain, or avx2.
inline std::size_t widest_lanes() noexcept {
#if defined(GRADEVAL_DISPATCH)
    static const char* const wanted = std::getenv("GRADEVAL_VECTORS");
    static const std::string_view most = wanted == nullptr ? "" : wanted;
    static const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
    static const bool has_2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (most == "plain") return lanes_in<AnyLanes>;
    return has_512 && most != "avx2" ? 8 : has_2 ? 4 : lanes_in<AnyLanes>;
#else
    return lanes_in<AnyLanes>;
#endif
}

/// Calls work(), compiled for the instructions that take V; it must be marked GRADEVAL_LAMBDA.
template <class V, class Work>
void compiled_for(Work&& work) {
#if defined(GRADEVAL_DISPATCH)
    if constexpr (lanes_in<V> == 8) return with_avx512(work);
    if constexpr (lanes_in<V> == 4) return with_avx2(work);
#endif
    work();
}

}  // namespace gradeval
