// gradeval._core.Lines
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "judge/lines.hpp"
#include "python/bindings.hpp"
#include "python/columns_from_python.hpp"
#include "python/from_python.hpp"

namespace gradeval {

using namespace nb::literals;

namespace {

PyLines lines_of_bytes(nb::handle data, nb::str where) {
    auto buffer = std::make_shared<Buffer>(data);
    return PyLines(Lines(TextRun(Text(buffer->bytes(), name_of(where))), buffer));
}

PyLines lines_of_file(nb::bytes path, nb::str where) {
    const std::string name = name_of(where);
    return PyLines(Lines(TextRun(Text(File(path_of(path), name), name)), nullptr));
}

/// Ranks, one for each line.
std::span<const double> as_many(const Vector<double>& ranks, std::size_t lines) {
    if (ranks.shape(0) != lines) throw nb::value_error("one rank for each line");
    return {ranks.data(), lines};
}

PyLines lines_of_mapping(nb::handle mapping, nb::str where, const std::optional<Vector<double>>& ranks) {
    const std::string name = name_of(where);
    MappingRun run(name);
    read_mapping(
        mapping, name, "score", [&](std::string_view topic, std::size_t size) { run.add_topic(topic, size); },
        [&](std::string_view document, double score) { run.add_line(document, score); });
    if (ranks) run.give_ranks(as_many(*ranks, run.count_lines()));
    return PyLines(Lines(std::move(run), nullptr));
}

PyLines lines_of_columns(nb::tuple topics, nb::tuple documents, Vector<double> scores, nb::str where,
                         const std::optional<Vector<double>>& ranks) {
    return with_columns(topics, documents, scores, where,
                        [&](auto& t, auto& d, auto s, auto& name, nb::list keep) {
                            keep.append(nb::cast(scores));
                            keep.append(nb::cast(ranks));
                            const auto r = ranks ? as_many(*ranks, s.size()) : std::span<const double>();
                            return PyLines(Lines(ColumnRun(t, d, s, r, name), std::make_shared<nb::list>(keep)),
                                           nb::make_tuple(topics, documents, scores, where, ranks));
                        });
}

Repeated repeated_named(const std::string& name) {
    if (name == "first") return Repeated::first;
    if (name == "best") return Repeated::best;
    throw InputError("repeated: " + in_quotes(name) + " is unknown; accepted are 'first' and 'best'");
}

PyLines keeping(const PyLines& self, const std::string& repeated) {
    return PyLines(self.lines.keeping(repeated_named(repeated)), self.columns);
}

/// What a pickle keeps of the source: its kind, then what makes it again.
nb::tuple state_of_source(const PyLines& self) {
    if (!self.columns.is_none()) return nb::make_tuple("columns", self.columns);
    if (const auto* const run = std::get_if<TextRun>(&self.lines.source())) {
        Window window;
        const std::string_view bytes = run->text().load({0, run->size()}, window).bytes;
        return nb::make_tuple("text", nb::bytes(bytes.data(), bytes.size()), text(run->text().where()));
    }
    const auto& run = std::get<MappingRun>(self.lines.source());
    PackedIds topics, documents;
    std::vector<std::uint64_t> sizes;
    std::vector<double> scores;
    run.for_each_topic([&](std::string_view topic, std::span<const Line> lines) {
        topics.add(topic);
        sizes.push_back(lines.size());
        for (const Line& line : lines) {
            documents.add(line.document());
            scores.push_back(line.score);
        }
    });
    return nb::make_tuple("mapping", topics.sizes(), topics.bytes(), raw(sizes), documents.sizes(),
                          documents.bytes(), raw(scores), text(run.where()),
                          raw(std::vector<double>(run.ranks().begin(), run.ranks().end())));
}

PyLines mapping_of_state(nb::tuple state) {
    PackedIds topics(state[1], state[2]);
    PackedIds documents(state[4], state[5]);
    const auto sizes = numbers_of<std::uint64_t>(state[3]);
    const auto scores = numbers_of<double>(state[6]);
    const auto ranks = numbers_of<double>(state[8]);
    if (scores.size() != documents.size() || sizes.size() != topics.size() ||
        (!ranks.empty() && ranks.size() != scores.size()))
        throw nb::value_error("a damaged pickle");
    MappingRun run(nb::cast<std::string>(state[7]));
    std::size_t at = 0;
    for (const std::uint64_t size : sizes) {
        if (size > scores.size() - at) throw nb::value_error("a damaged pickle");
        run.add_topic(topics.take(), size);
        for (const std::size_t end = at + size; at < end; ++at) run.add_line(documents.take(), scores[at]);
    }
    run.give_ranks(ranks);
    return PyLines(Lines(std::move(run), nullptr));
}

PyLines source_of_state(nb::tuple state) {
    const auto kind = nb::cast<std::string>(state[0]);
    if (kind == "text") return lines_of_bytes(state[1], nb::cast<nb::str>(state[2]));
    if (kind == "mapping") return mapping_of_state(state);
    const auto columns = nb::cast<nb::tuple>(state[1]);
    return lines_of_columns(nb::cast<nb::tuple>(columns[0]), nb::cast<nb::tuple>(columns[1]),
                            nb::cast<Vector<double>>(columns[2]), nb::cast<nb::str>(columns[3]),
                            nb::cast<std::optional<Vector<double>>>(columns[4]));
}

nb::tuple state_of(const PyLines& self) {
    return nb::make_tuple(state_of_source(self), static_cast<int>(self.lines.repeated()));
}

PyLines lines_of_state(nb::tuple state) {
    const PyLines source = source_of_state(nb::cast<nb::tuple>(state[0]));
    return PyLines(source.lines.keeping(static_cast<Repeated>(nb::cast<int>(state[1]))), source.columns);
}

nb::dict lines_of_topic(PyLines& self, const std::string& topic) {
    const Survey& survey = self.survey();
    const std::uint32_t at = survey.topics.find(topic);
    if (at == Names::none) throw nb::key_error(topic.c_str());
    nb::dict scores;
    Workbench bench;
    for (const Line& line : self.lines.of(survey, at, bench)) scores[text(line.document())] = line.score;
    return scores;
}

nb::list topics_of_run(PyLines& self) {
    const Survey& survey = self.survey();
    nb::list topics;
    for (std::size_t t = 0; t < survey.topics.size(); ++t) topics.append(text(survey.topics[t]));
    return topics;
}

std::size_t count_lines(PyLines& self) {
    std::size_t count = 0;
    const Survey& survey = self.survey();
    for (std::size_t t = 0; t < survey.topics.size(); ++t) count += survey.lines(t);
    return count;
}

}  // namespace

void bind_lines(nb::module_& m) {
    nb::class_<PyLines>(m, "Lines")
        .def_static("of_bytes", &lines_of_bytes, "data"_a, "where"_a)
        .def_static("of_file", &lines_of_file, "path"_a, "where"_a)
        .def_static("of_mapping", &lines_of_mapping, "mapping"_a, "where"_a, "ranks"_a.noconvert() = nb::none())
        .def_static("of_columns", &lines_of_columns, "topics"_a, "documents"_a, "scores"_a.noconvert(),
                    "where"_a, "ranks"_a.noconvert() = nb::none())
        .def("keeping", &keeping, "repeated"_a)
        .def("tag", [](const PyLines& self) { return self.lines.tag(); })
        .def("topics", &topics_of_run)
        .def("of", &lines_of_topic, "topic"_a)
        .def("__len__", &count_lines)
        .def("__getstate__", &state_of)
        .def("__setstate__", [](PyLines& self, nb::tuple state) { new (&self) PyLines(lines_of_state(state)); });
}

}  // namespace gradeval
