// The parts of the module, each bound in its own file, and what they share.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "judge/exclusion.hpp"
#include "judge/lines.hpp"
#include "judge/pools.hpp"
#include "judge/survey.hpp"

namespace gradeval {

namespace nb = nanobind;

/// A run and, once somebody asked for its lines, where they stand.
struct PyLines {
    explicit PyLines(Lines given, nb::object columns = nb::none())
        : lines(std::move(given)), columns(std::move(columns)) {}

    const Survey& survey() {
        if (!surveyed) {
            std::unique_ptr<Survey> made;
            {
                const nb::gil_scoped_release free_threads;
                made = std::make_unique<Survey>(lines.survey());
            }
            if (!surveyed) surveyed = std::move(made);  // another thread may have been faster
        }
        return *surveyed;
    }

    Lines lines;
    nb::object columns;  ///< the arguments of of_columns(), where that made it; else None
    std::unique_ptr<Survey> surveyed;
};

/// What the core has, as Python objects.
inline nb::str text(std::string_view view) { return nb::str(view.data(), view.size()); }

/// What must not count: the pairs of several Pools, which must outlive this.
inline Exclusion exclusion_of(bool itself, nb::tuple pairs) {
    std::vector<const Pools*> pools;
    for (const nb::handle one : pairs) pools.push_back(&nb::cast<const Pools&>(one));
    return {itself, std::move(pools)};
}

/// A read-only NumPy array over memory of `owner`.
template <class T>
auto view(const std::vector<T>& values, nb::handle owner, std::initializer_list<std::size_t> shape) {
    return nb::ndarray<nb::numpy, const T>(values.data(), shape, owner);
}
template <class T>
auto view(const std::vector<T>& values, nb::handle owner) {
    return view(values, owner, {values.size()});
}

/// Numbers as bytes, for pickles. Their byte order is this machine's, as in the pickles of NumPy's own arrays.
template <class T>
nb::bytes raw(const std::vector<T>& values) {
    return nb::bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
}

/// The numbers of raw().
template <class T>
std::vector<T> numbers_of(nb::handle bytes) {
    const auto data = nb::cast<nb::bytes>(bytes);
    if (data.size() % sizeof(T) != 0) throw nb::value_error("a damaged pickle");
    std::vector<T> values(data.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), data.c_str(), data.size());
    return values;
}

/// Ids, one after the other, for pickles: how long each is, and their bytes.
class PackedIds {
  public:
    PackedIds() = default;
    PackedIds(nb::handle sizes, nb::handle bytes)
        : sizes_(numbers_of<std::uint64_t>(sizes)), bytes_(nb::cast<nb::bytes>(bytes).c_str(), nb::len(bytes)) {
        std::uint64_t sum = 0;
        for (const std::uint64_t size : sizes_) {
            if (size > bytes_.size() - sum) throw nb::value_error("a damaged pickle");
            sum += size;
        }
    }

    void add(std::string_view id) {
        sizes_.push_back(id.size());
        bytes_ += id;
    }
    std::size_t size() const noexcept { return sizes_.size(); }
    /// The next id.
    std::string_view take() {
        if (next_ == sizes_.size()) throw nb::value_error("a damaged pickle");
        const std::string_view id(bytes_.data() + begin_, sizes_[next_]);
        begin_ += sizes_[next_++];
        return id;
    }
    nb::bytes sizes() const { return raw(sizes_); }
    nb::bytes bytes() const { return nb::bytes(bytes_.data(), bytes_.size()); }

  private:
    std::vector<std::uint64_t> sizes_;
    std::string bytes_;
    std::size_t next_ = 0;
    std::size_t begin_ = 0;
};

void bind_files(nb::module_& m);
void bind_pools(nb::module_& m);
void bind_lines(nb::module_& m);
void bind_judge(nb::module_& m);
void bind_values(nb::module_& m);
void bind_ranking(nb::module_& m);
void bind_program(nb::module_& m);
void bind_letor(nb::module_& m);
void bind_pairs(nb::module_& m);
void bind_entropy(nb::module_& m);
void answer_signals_between_tasks();

}  // namespace gradeval
