// The columns of a table as Python hands them over: contiguous arrays in tuples.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "python/from_python.hpp"
#include "runs/column.hpp"
#include "text/error.hpp"

namespace gradeval {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// One item of a column given as a tuple.
template <class T>
std::span<const T> item(nb::tuple column, std::size_t i, nb::list keep) {
    const auto array = nb::cast<Vector<T>>(column[i], false);
    keep.append(column[i]);
    return {array.data(), array.shape(0)};
}

/// A column given as (offsets, data) or (offsets, data, codes).
inline StringColumn string_column(nb::tuple given, const std::string& where, const char* what,
                                  nb::list keep) {
    const bool coded = given.size() == 3;
    if (given.size() != 2 && !coded)
        throw nb::type_error("a column is (offsets, data) or (offsets, data, codes)");
    StringColumn column;
    column.offsets = item<std::int64_t>(given, 0, keep);
    const auto data = item<std::uint8_t>(given, 1, keep);
    column.data = data.empty() ? std::string_view("", 0)
                               : std::string_view(reinterpret_cast<const char*>(data.data()), data.size());
    column.coded = coded;
    if (coded) column.codes = item<std::int32_t>(given, 2, keep);
    if (!column.is_sound())
        throw InputError(where + ": the column of " + what +
                         " is broken: its offsets or codes lead outside its data");
    return column;
}

/// Columns of one length; `keep` holds what they look at.
template <class Make>
auto with_columns(nb::tuple topics, nb::tuple documents, Vector<double> numbers, nb::str where, Make&& make) {
    nb::list keep;
    const std::string name = name_of(where);
    const StringColumn topic_column = string_column(topics, name, "topics", keep);
    const StringColumn document_column = string_column(documents, name, "documents", keep);
    if (topic_column.rows() != numbers.shape(0) || document_column.rows() != numbers.shape(0))
        throw InputError(name + ": the columns have " + std::to_string(topic_column.rows()) + ", " +
                         std::to_string(document_column.rows()) + " and " + std::to_string(numbers.shape(0)) +
                         " rows; they must have the same number");
    if (numbers.shape(0) > 0xFFFFFFFFu)
        throw InputError(name + ": more than 4294967295 rows; give fewer at a time");
    return make(topic_column, document_column, std::span<const double>(numbers.data(), numbers.shape(0)),
                name, keep);
}

}  // namespace gradeval
