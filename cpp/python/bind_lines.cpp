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

PyLines lines_of_mapping(nb::handle mapping, nb::str where) {
    const std::string name = name_of(where);
    MappingRun run(name);
    read_mapping(
        mapping, name, "score", [&](std::string_view topic, std::size_t size) { run.add_topic(topic, size); },
        [&](std::string_view document, double score) { run.add_line(document, score); });
    return PyLines(Lines(std::move(run), nullptr));
}

PyLines lines_of_columns(nb::tuple topics, nb::tuple documents, Vector<double> scores, nb::str where) {
    return with_columns(topics, documents, scores, where,
                        [&](auto& t, auto& d, auto s, auto& name, nb::list keep) {
                            keep.append(nb::cast(scores));
                            return PyLines(Lines(ColumnRun(t, d, s, name), std::make_shared<nb::list>(keep)));
                        });
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
    for (const Group& group : self.survey().groups) count += group.lines;
    return count;
}

}  // namespace

void bind_lines(nb::module_& m) {
    nb::class_<PyLines>(m, "Lines")
        .def_static("of_bytes", &lines_of_bytes, "data"_a, "where"_a)
        .def_static("of_file", &lines_of_file, "path"_a, "where"_a)
        .def_static("of_mapping", &lines_of_mapping, "mapping"_a, "where"_a)
        .def_static("of_columns", &lines_of_columns, "topics"_a, "documents"_a, "scores"_a.noconvert(),
                    "where"_a)
        .def("tag", [](const PyLines& self) { return self.lines.tag(); })
        .def("topics", &topics_of_run)
        .def("of", &lines_of_topic, "topic"_a)
        .def("__len__", &count_lines);
}

}  // namespace gradeval
