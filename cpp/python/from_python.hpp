// Python's numbers, strings, mappings and buffers as the core takes them.
#pragma once

#include <nanobind/nanobind.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include "text/error.hpp"
#include "text/number.hpp"
#include "text/utf8.hpp"

namespace gradeval {

namespace nb = nanobind;

/// What Python would print for a value, fit for a message.
inline std::string shown(nb::handle value) {
    const auto ascii = nb::steal(PyObject_ASCII(value.ptr()));
    if (ascii.is_valid()) return excerpt(nb::cast<std::string>(ascii));
    PyErr_Clear();
    return "a value";
}

inline std::string kind_of(nb::handle value) { return nb::cast<std::string>(value.type().attr("__name__")); }

/// UTF-8 of a str; it lives as long as the str. Throws where it has none (lone surrogates).
inline std::string_view utf8_of(nb::handle text, const std::string& where, const char* what) {
    if (!PyUnicode_Check(text.ptr()))
        throw InputError(where + ": " + what + " " + shown(text) + " is not an id; ids are str or whole numbers");
    Py_ssize_t size = 0;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
    PyErr_Clear();
    throw InputError(where + ": " + what + " " + shown(text) + " cannot be written as UTF-8");
}

/// An id: the UTF-8 of a str, or the digits of a whole number, for which `digits` is room.
inline std::string_view id_of(nb::handle id, const std::string& where, const char* what, std::string& digits) {
    if (PyUnicode_Check(id.ptr()) || !PyIndex_Check(id.ptr()) || kind_of(id).starts_with("bool"))
        return utf8_of(id, where, what);
    const auto number = nb::steal(PyNumber_Index(id.ptr()));
    if (!number.is_valid()) nb::raise_python_error();
    const auto text = nb::steal(PyObject_Str(number.ptr()));
    if (!text.is_valid()) nb::raise_python_error();
    return digits = nb::cast<std::string>(text);
}

/// The name of a source for messages, whatever characters it has (file names may hold any byte).
inline std::string name_of(nb::str where) {
    const auto bytes =
        nb::steal<nb::bytes>(PyUnicode_AsEncodedString(where.ptr(), "utf-8", "backslashreplace"));
    if (!bytes.is_valid()) nb::raise_python_error();
    return {bytes.c_str(), bytes.size()};
}

/// The whole numbers up to here are all doubles; beyond, neighbours become equal.
inline constexpr double largest_exact = 9007199254740992.0;

/// A score or grade: int, float, NumPy scalar, anything with __float__ except bool. Throws an InputError;
/// what a __float__ written in Python raises beyond TypeError, ValueError and OverflowError goes through.
inline double number_of(nb::handle value, const std::string& where, const char* what, std::string_view topic,
                        std::string_view document) {
    const auto refuse = [&](const std::string& why) {
        return InputError(where + ": " + what + " " + why + " (topic " + excerpt(topic) + ", document " +
                          excerpt(document) + ")");
    };
    const auto no_number = [&] {
        return refuse(shown(value) + " is a " + kind_of(value) +
                      "; accepted are int, float and NumPy numbers");
    };
    double number = 0.0;
    if (PyFloat_CheckExact(value.ptr())) {
        number = PyFloat_AsDouble(value.ptr());
    } else {
        const bool exact_int = PyLong_CheckExact(value.ptr());
        if (!exact_int && kind_of(value).starts_with("bool"))
            throw no_number();  // Python's and NumPy's (bool, bool_)
        number = exact_int ? PyLong_AsDouble(value.ptr()) : PyFloat_AsDouble(value.ptr());
        if (number == -1.0 && PyErr_Occurred()) {
            const bool overflow = PyErr_ExceptionMatches(PyExc_OverflowError);
            if (!overflow && !PyErr_ExceptionMatches(PyExc_TypeError) &&
                !PyErr_ExceptionMatches(PyExc_ValueError))
                nb::raise_python_error();
            PyErr_Clear();
            throw overflow ? refuse("is beyond the range of a double") : no_number();
        }
        // 2^53 + 1 has become 2^53 by now.
        if (exact_int && (std::abs(number) > largest_exact ||
                          (std::abs(number) == largest_exact &&
                           PyLong_AsLongLong(value.ptr()) != static_cast<long long>(number))))
            throw refuse(shown(value) + " is beyond 2^53, from where integers tie as floats: give floats, or subtract the smallest");
    }
    if (std::isnan(number)) throw refuse(complaint(Numeral::nan));
    if (std::isinf(number)) throw refuse(complaint(Numeral::infinite));
    return number;
}

/// Calls each(mapping, key, value) for the items of a mapping. `what()` names it in the InputError that is thrown
/// where it is no mapping or changes meanwhile.
template <class What, class Each>
void for_each_item(nb::handle object, const std::string& where, What&& what, const char* accepted,
                   Each&& each) {
    nb::object mapping = nb::borrow(object);
    if (!PyDict_Check(mapping.ptr())) {
        if (!nb::hasattr(object, "keys"))
            throw InputError(where + ": " + what() + " is a " + kind_of(object) + "; accepted is " +
                             accepted);
        mapping = nb::steal(PyDict_New());
        if (!mapping.is_valid() || PyDict_Update(mapping.ptr(), object.ptr()) != 0) nb::raise_python_error();
    }
    const Py_ssize_t size = PyDict_Size(mapping.ptr());
    Py_ssize_t at = 0;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
    while (PyDict_Next(mapping.ptr(), &at, &key, &value)) {
        if (PyUnicode_CheckExact(key) && (PyFloat_CheckExact(value) || PyLong_CheckExact(value))) {
            each(mapping, nb::handle(key), nb::handle(value));  // reading these runs no Python
            continue;
        }
        // Own both: a __float__ written in Python may take them out of the mapping.
        const nb::object kept_key = nb::borrow(key);
        const nb::object kept_value = nb::borrow(value);
        each(mapping, kept_key, kept_value);
        if (PyDict_Size(mapping.ptr()) != size)
            throw InputError(where + ": " + what() + " changed while it was read");
    }
}

/// Refuses a key that is a whole number where its digits are a key, too: both are one id.
inline void refuse_twin(nb::handle mapping, nb::handle key, std::string_view id, const std::string& where,
                        const std::string& what) {
    const auto text = nb::steal(PyUnicode_FromStringAndSize(id.data(), static_cast<Py_ssize_t>(id.size())));
    const int found = text.is_valid() ? PyDict_Contains(mapping.ptr(), text.ptr()) : -1;
    if (found < 0) nb::raise_python_error();
    if (found == 1)
        throw InputError(where + ": " + what + " is given twice, as " + shown(key) + " and as " + shown(text) +
                         "; give it once");
}

/// Calls on_topic(name, number of its documents where that is known, else 0) and then on_line(document, number) for each line of {topic: {document: number}}.
template <class OnTopic, class OnLine>
void read_mapping(nb::handle mapping, const std::string& where, const char* what, OnTopic&& on_topic,
                  OnLine&& on_line) {
    const auto whole = [] { return std::string("the input"); };
    std::string topic_digits;
    std::string document_digits;
    for_each_item(mapping, where, whole, "a mapping of topics to mappings",
                  [&](nb::handle topics, nb::handle key, nb::handle documents) {
                      const std::string_view topic = id_of(key, where, "topic", topic_digits);
                      if (!PyUnicode_Check(key.ptr()))
                          refuse_twin(topics, key, topic, where, "topic " + excerpt(topic));
                      const Py_ssize_t size = PyDict_Check(documents.ptr()) ? PyDict_Size(documents.ptr()) : 0;
                      on_topic(topic, static_cast<std::size_t>(size));
                      const auto value_of_topic = [&] { return "the value of topic " + excerpt(topic); };
                      for_each_item(documents, where, value_of_topic, "a mapping of documents to numbers",
                                    [&](nb::handle all, nb::handle id, nb::handle value) {
                                        const std::string_view document = id_of(id, where, "document", document_digits);
                                        if (!PyUnicode_Check(id.ptr()))
                                            refuse_twin(all, id, document, where,
                                                        "document " + excerpt(document) + " of topic " + excerpt(topic));
                                        on_line(document, number_of(value, where, what, topic, document));
                                    });
                  });
}

/// A path as os.fsencode() gives it.
inline std::string path_of(nb::bytes path) { return {path.c_str(), path.size()}; }

/// A contiguous buffer (bytes, memoryview, array), held for as long as this lives. To be destroyed
/// under the GIL.
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
        return view_.len == 0 ? std::string_view("", 0)
                              : std::string_view(static_cast<const char*>(view_.buf),
                                                 static_cast<std::size_t>(view_.len));
    }

  private:
    Py_buffer view_{};
};

}  // namespace gradeval
