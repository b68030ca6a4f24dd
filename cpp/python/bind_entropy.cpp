// gradeval._core.settle_lists: the most random lists with given values
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "entropy/random_list.hpp"
#include "python/bindings.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

template <class T, std::size_t Axes>
using Rows = nb::ndarray<T, nb::ndim<Axes>, nb::c_contig, nb::device::cpu>;

/// Solves one list; see RandomListSolver.
std::pair<std::size_t, bool> solve(const RandomList& list, RandomState& state, double precision, std::size_t most) {
    switch (list.classes) {
        case 0: return {1, true};  // all its documents are of the reference
        case 1: return RandomListSolver<1>(list).solve(state, precision, most);
        case 2: return RandomListSolver<2>(list).solve(state, precision, most);
        case 3: return RandomListSolver<3>(list).solve(state, precision, most);
        default: return RandomListSolver<0>(list).solve(state, precision, most);
    }
}

/// Settles lists: linear[list, class, rank] and so on, as RandomList has them for the ranks and classes that a list has.
void settle_lists(Rows<const double, 3> linear, Rows<const double, 3> pair, Rows<const double, 2> discount,
                  Rows<const std::int64_t, 1> length, Rows<const double, 2> mass, Rows<const double, 1> value,
                  Rows<const double, 1> room, Rows<const double, 1> precision, std::size_t rounds, Rows<double, 2> x,
                  Rows<double, 3> logit, Rows<bool, 1> settled, Rows<std::int64_t, 1> tried) {
    const std::size_t lists = linear.shape(0), classes = linear.shape(1), depth = linear.shape(2);
    bool fits = discount.shape(0) == lists && discount.shape(1) == depth && mass.shape(0) == lists &&
                mass.shape(1) == classes && x.shape(0) == lists && x.shape(1) == classes + 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        fits = fits && logit.shape(axis) == linear.shape(axis) && pair.shape(axis) == (axis == 0 ? lists : classes);
    }
    for (const std::size_t size : {length.size(), value.size(), room.size(), precision.size(), settled.size(), tried.size()}) {
        fits = fits && size == lists;
    }
    for (std::size_t i = 0; fits && i < lists; ++i) {
        fits = length.data()[i] >= 0 && static_cast<std::size_t>(length.data()[i]) <= depth;
    }
    if (!fits) throw nb::value_error("a row for each list, of as many classes and ranks");
    const nb::gil_scoped_release free_threads;
    for (std::size_t i = 0; i < lists; ++i) {
        const double* const of_class = mass.data() + i * classes;
        const double* const pairs = pair.data() + i * classes * classes;
        double* const multipliers = x.data() + i * (classes + 1);
        std::vector<std::size_t> there;
        for (std::size_t a = 0; a < classes; ++a) {
            if (of_class[a] > 0) there.push_back(a);
        }
        RandomList list;
        RandomState state;
        list.ranks = static_cast<std::size_t>(length.data()[i]);
        list.classes = there.size();
        list.discount.assign(discount.data() + i * depth, discount.data() + i * depth + list.ranks);
        list.value = value.data()[i];
        list.room = room.data()[i];
        state.lambda = multipliers[0];
        for (const std::size_t a : there) {
            list.mass.push_back(of_class[a]);
            state.mu.push_back(multipliers[a + 1]);
            for (const std::size_t b : there) list.pair.push_back(pairs[a * classes + b]);
        }
        for (std::size_t n = 0; n < list.ranks; ++n) {
            for (const std::size_t a : there) {
                list.linear.push_back(linear.data()[(i * classes + a) * depth + n]);
                state.logit.push_back(logit.data()[(i * classes + a) * depth + n]);
            }
        }
        std::tie(tried.data()[i], settled.data()[i]) = solve(list, state, precision.data()[i], rounds);
        multipliers[0] = state.lambda;
        for (std::size_t a = 0; a < there.size(); ++a) {
            multipliers[there[a] + 1] = state.mu[a];
            double* const own = logit.data() + (i * classes + there[a]) * depth;
            for (std::size_t n = 0; n < list.ranks; ++n) own[n] = state.logit[n * there.size() + a];
        }
    }
}

}  // namespace

void bind_entropy(nb::module_& m) {
    m.def("settle_lists", &settle_lists, "linear"_a, "pair"_a, "discount"_a, "length"_a, "mass"_a, "value"_a, "room"_a,
          "precision"_a, "rounds"_a, "x"_a, "logit"_a, "settled"_a, "tried"_a);
}

}  // namespace gradeval
