// Eight numbers at a time, by the widest vector instructions that the processor has.
//
// What is marked GRADEVAL_INLINE becomes part of its caller and is compiled for the instructions of that one; on other
// compilers and processors the same code works with what there is.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

#if defined(__GNUC__)
#define GRADEVAL_INLINE [[gnu::always_inline]] inline
#define GRADEVAL_LAMBDA __attribute__((always_inline))
#else
#define GRADEVAL_INLINE inline
#define GRADEVAL_LAMBDA
#endif

namespace gradeval {

inline constexpr std::size_t LANES = 8;

#if defined(__GNUC__)

using Lanes = double __attribute__((vector_size(64)));
using LaneBits = std::int64_t __attribute__((vector_size(64)));

GRADEVAL_INLINE Lanes all_lanes(double value) { return Lanes{} + value; }
GRADEVAL_INLINE Lanes with_bits(LaneBits bits) { return reinterpret_cast<Lanes>(bits); }
GRADEVAL_INLINE LaneBits bits_of(Lanes lanes) { return reinterpret_cast<LaneBits>(lanes); }
GRADEVAL_INLINE Lanes choose(LaneBits which, Lanes yes, Lanes no) { return which ? yes : no; }
GRADEVAL_INLINE LaneBits shift_left(LaneBits bits, int places) { return bits << places; }

#else

/// The same by loops, which compilers turn into vector instructions.
template <class T>
struct Eight {
    T at[LANES];
    T operator[](std::size_t i) const { return at[i]; }
    T& operator[](std::size_t i) { return at[i]; }
};
using Lanes = Eight<double>;
using LaneBits = Eight<std::int64_t>;

template <class R, class F>
R each(F&& of) {
    R result;
    for (std::size_t i = 0; i < LANES; ++i) result.at[i] = of(i);
    return result;
}
inline Lanes all_lanes(double value) { return each<Lanes>([&](std::size_t) { return value; }); }
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
inline Lanes operator+(const Lanes& a, double b) { return a + all_lanes(b); }
inline Lanes operator-(const Lanes& a, double b) { return a - all_lanes(b); }
inline Lanes operator*(const Lanes& a, double b) { return a * all_lanes(b); }
inline Lanes operator/(const Lanes& a, double b) { return a / all_lanes(b); }
inline Lanes operator+(double a, const Lanes& b) { return all_lanes(a) + b; }
inline Lanes operator-(double a, const Lanes& b) { return all_lanes(a) - b; }
inline Lanes operator*(double a, const Lanes& b) { return all_lanes(a) * b; }
inline Lanes operator/(double a, const Lanes& b) { return all_lanes(a) / b; }
inline LaneBits operator<(const Lanes& a, double b) { return a < all_lanes(b); }
inline LaneBits operator>(const Lanes& a, double b) { return a > all_lanes(b); }
inline LaneBits operator&(const LaneBits& a, std::int64_t b) { return each<LaneBits>([&](std::size_t i) { return a.at[i] & b; }); }
inline Lanes& operator+=(Lanes& a, const Lanes& b) { return a = a + b; }
inline Lanes& operator-=(Lanes& a, const Lanes& b) { return a = a - b; }
inline Lanes& operator*=(Lanes& a, const Lanes& b) { return a = a * b; }
inline Lanes with_bits(const LaneBits& bits) { return std::bit_cast<Lanes>(bits); }
inline LaneBits bits_of(const Lanes& lanes) { return std::bit_cast<LaneBits>(lanes); }
inline Lanes choose(const LaneBits& which, const Lanes& yes, const Lanes& no) {
    return each<Lanes>([&](std::size_t i) { return which.at[i] ? yes.at[i] : no.at[i]; });
}
inline LaneBits shift_left(const LaneBits& bits, int places) {
    return each<LaneBits>([&](std::size_t i) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits.at[i]) << places);
    });
}

#endif

GRADEVAL_INLINE Lanes load(const double* from) {
    Lanes lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
GRADEVAL_INLINE void store(const Lanes& lanes, double* to) { std::memcpy(to, &lanes, sizeof lanes); }
GRADEVAL_INLINE double sum_of(const Lanes& lanes) {
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}
GRADEVAL_INLINE Lanes size_of(const Lanes& lanes) { return with_bits(bits_of(lanes) & INT64_MAX); }
GRADEVAL_INLINE Lanes smaller(const Lanes& a, const Lanes& b) { return choose(a < b, a, b); }
GRADEVAL_INLINE Lanes larger(const Lanes& a, const Lanes& b) { return choose(a > b, a, b); }

/// The next multiple of LANES: arrays that are read and written eight at a time are so long.
constexpr std::size_t whole_lanes(std::size_t count) { return (count + LANES - 1) / LANES * LANES; }

/// Memory that begins where a line of the cache does: eight numbers are then in one line.
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
struct LaneSpan {
    double* first;
    GRADEVAL_INLINE Lanes operator[](std::size_t i) const { return load(first + i * LANES); }
    GRADEVAL_INLINE void set(std::size_t i, const Lanes& lanes) const { store(lanes, first + i * LANES); }
    GRADEVAL_INLINE void add(std::size_t i, const Lanes& lanes) const { set(i, (*this)[i] + lanes); }
    double& at(std::size_t i, std::size_t lane) const noexcept { return first[i * LANES + lane]; }
};

/// Room for lanes one after another.
class LaneArray {
  public:
    LaneSpan assign(std::size_t size) {
        values_.assign(size * LANES, 0.0);
        return span();
    }
    LaneSpan resize(std::size_t size) {
        values_.resize(size * LANES);
        return span();
    }
    LaneSpan span() noexcept { return {values_.data()}; }

  private:
    Doubles values_;
};

/// sum_i coefficients[i] x^i.
template <std::size_t count>
GRADEVAL_INLINE Lanes polynomial(const double (&coefficients)[count], const Lanes& x) {
    Lanes sum = all_lanes(coefficients[count - 1]);
    for (std::size_t i = count - 1; i-- > 0;) sum = sum * x + coefficients[i];
    return sum;
}

/// What is added to it is rounded to a whole number, which then is in its last bits: 1.5 * 2^52.
inline constexpr double ROUNDS = 6755399441055744.0;

/// 2^(r + whole) for |r| <= 1/2, where `rounded` is ROUNDS + whole. A polynomial, fitted in many digits to 4e-18.
GRADEVAL_INLINE Lanes power_of_two(const Lanes& r, const Lanes& rounded) {
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
    return with_bits(bits_of(polynomial(by_power, r)) + shift_left(bits_of(rounded) - bits_of(all_lanes(ROUNDS)), 52));
}

/// 2^x for |x| <= 1000, to 2e-16 |x|.
GRADEVAL_INLINE Lanes exp2_of(const Lanes& x) {
    const Lanes rounded = x + ROUNDS;
    return power_of_two(x - (rounded - ROUNDS), rounded);
}

/// exp(x) to 4e-16; 0 below -708, and as if x were 709 above it.
GRADEVAL_INLINE Lanes exp_of(const Lanes& x) {
    const Lanes bounded = smaller(larger(x, all_lanes(-708.0)), all_lanes(709.0));
    const Lanes rounded = bounded * 1.4426950408889634 + ROUNDS;
    const Lanes whole = rounded - ROUNDS;
    const Lanes r = (bounded - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10;
    return choose(x < -708.0, Lanes{}, power_of_two(r * 1.4426950408889634, rounded));
}

/// log(1 + x) for x from 0 to 1, to 3e-16 of its size: 2 artanh(z), z = x / (2 + x) <= 1/3.
GRADEVAL_INLINE Lanes log_one_plus(const Lanes& x) {
    const Lanes z = x / (2.0 + x);
    const Lanes square = z * z;
    Lanes sum = all_lanes(1.0 / 33);
    for (int odd = 31; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
    return 2.0 * z * sum;
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

/// Calls work(), compiled for the widest vector instructions of this processor; it must be marked GRADEVAL_LAMBDA.
template <class Work>
void vectorise(Work&& work) {
#if defined(GRADEVAL_DISPATCH)
    static const int widest = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")
                                  ? 2
                                  : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (widest == 2) return with_avx512(work);
    if (widest == 1) return with_avx2(work);
#endif
    work();
}

}  // namespace gradeval
