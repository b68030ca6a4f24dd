// Python's mappings, buffers and arrays as the core takes them.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "column.hpp"
#include "error.hpp"
#include "number.hpp"
#include "utf8.hpp"

namespace gradeval {

namespace nb = nanobind;

/// UTF-8 of a str; it lives as long as the str. Throws where it has none (lone surrogates).
inline std::string_view utf8_of(nb::handle text, const std::string& where, const char* what) {
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_Check(text.ptr()) ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    PyErr_Clear();
    const std::string given = nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(text.ptr())));
    const char* const complaint = PyUnicode_Check(text.ptr()) ? " cannot be written as UTF-8" : " is not a str; ids are str";
    throw InputError(where + ": " + what + " " + excerpt(given) + complaint);
}

/// The name of a source for messages, whatever characters it has (file names may hold any byte).
inline std::string name_of(nb::str where) {
    const auto bytes = nb::steal<nb::bytes>(PyUnicode_AsEncodedString(where.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) nb::raise_python_error();
    return {bytes.c_str(), bytes.size()};
}

/// A score or grade: int, float, NumPy scalar, anything with __float__ except bool.
inline double number_of(PyObject* value, const std::string& where, const char* what, std::string_view topic, std::string_view document) {
    const auto refuse = [&](const std::string& why) {
        return InputError(where + ": " + what + " " + why + " (topic " + excerpt(topic) + ", document " + excerpt(document) + ")");
    };
    double number = 0.0;
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AsDouble(value);
    } else {
        const auto type = nb::cast<std::string>(nb::handle(value).type().attr("__name__"));
        const bool is_bool = type == "bool" || type == "bool_";
        number = is_bool ? -1.0 : PyFloat_AsDouble(value);
        const bool overflow = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_OverflowError);
        if (is_bool || PyErr_Occurred()) {
            PyErr_Clear();
            if (overflow) throw refuse("is beyond the range of a double");
            const std::string given = nb::cast<std::string>(nb::steal<nb::str>(PyObject_ASCII(value)));
            throw refuse(excerpt(given) + " is a " + type + "; accepted are int, float and NumPy numbers");
        }
    }
    if (std::isnan(number)) throw refuse(complaint(Numeral::nan));
    if (std::isinf(number)) throw refuse(complaint(Numeral::infinite));
    return number;
}

/// Calls each(key, value) for the items of a mapping, which must not change meanwhile. Throws an InputError where
/// `object` is not a mapping or changes.
template <class Each>
void for_each_item(nb::handle object, const std::string& where, const std::string& what, Each&& each) {
    nb::object mapping = nb::borrow(object);
    if (!PyDict_Check(mapping.ptr())) {
        mapping = nb::steal(PyDict_New());
        if (!nb::hasattr(object, "keys") || PyDict_Update(mapping.ptr(), object.ptr()) != 0) {
            PyErr_Clear();
            const auto type = nb::cast<std::string>(object.type().attr("__name__"));
            throw InputError(where + ": " + what + " is a " + type + "; accepted is a mapping {topic: {document: number}}");
        }
    }
    const Py_ssize_t size = PyDict_Size(mapping.ptr());
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(mapping.ptr(), &at, &key, &value)) {
        // Own both: a __float__ written in Python may take them out of the mapping.
        const nb::object kept_key = nb::borrow(key);
        const nb::object kept_value = nb::borrow(value);
        each(kept_key, kept_value);
        if (PyDict_Size(mapping.ptr()) != size) throw InputError(where + ": " + what + " changed while it was read");
    }
}

/// Calls topic(name) and then line(topic, document, number) for each line of {topic: {document: number}}.
template <class Topic, class LineOf>
void read_mapping(nb::handle mapping, const std::string& where, const char* what, Topic&& topic, LineOf&& line) {
    for_each_item(mapping, where, "the input", [&](nb::handle key, nb::handle documents) {
        const std::string_view name = utf8_of(key, where, "topic");
        topic(name);
        const std::string of_topic = PyDict_Check(documents.ptr()) ? std::string() : "the value of topic " + excerpt(name);
        for_each_item(documents, where, of_topic, [&](nb::handle id, nb::handle value) {
            const std::string_view document = utf8_of(id, where, "document");
            line(name, document, number_of(value.ptr(), where, what, name, document));
        });
    });
}

/// A contiguous buffer (bytes, mmap, memoryview, array), held for as long as this lives. To be destroyed under the GIL.
class Buffer {
  public:
    explicit Buffer(nb::handle object) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) nb::raise_python_error();
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::string_view bytes() const noexcept {
        // An empty buffer may have no address; a view of nothing needs one all the same.
        return view_.len == 0 ? std::string_view("", 0) : std::string_view(static_cast<const char*>(view_.buf), static_cast<std::size_t>(view_.len));
    }

  private:
    Py_buffer view_{};
};

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
inline StringColumn string_column(nb::tuple given, const std::string& where, const char* what, nb::list keep) {
    const bool coded = given.size() == 3;
    if (given.size() != 2 && !coded) throw nb::type_error("a column is (offsets, data) or (offsets, data, codes)");
    StringColumn column;
    column.offsets = item<std::int64_t>(given, 0, keep);
    const auto data = item<std::uint8_t>(given, 1, keep);
    column.data = data.empty() ? std::string_view("", 0) : std::string_view(reinterpret_cast<const char*>(data.data()), data.size());
    column.coded = coded;
    if (coded) column.codes = item<std::int32_t>(given, 2, keep);
    if (!column.is_sound()) throw InputError(where + ": the column of " + what + " is broken: its offsets or codes lead outside its data");
    return column;
}

}  // namespace gradeval
