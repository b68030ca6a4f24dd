// Stands in for libFuzzer where the compiler brings none: changes seeds at random, for some seconds,
// repeatably.
//
//   driver SECONDS SEED FILE...      runs mutated inputs; the one that fails is written to DRIVER-last-input
//   driver --replay FILE...          runs the files as they are

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::string;

Input read(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "cannot read %s\n", path);
        std::exit(2);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

Input current;
std::string last_input;

void run(const Input& input) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

/// Keeps the input at hand when the process aborts (run.sh sees to it that sanitizers abort).
void save_input(int) {
    if (std::FILE* const file = std::fopen(last_input.c_str(), "wb")) {
        std::fwrite(current.data(), 1, current.size(), file);
        std::fclose(file);
    }
}

/// Pieces that parsers stumble over.
const std::vector<std::string> pieces = {"\n",
                                         "\r\n",
                                         "\r",
                                         " ",
                                         "\t",
                                         "  ",
                                         "#",
                                         "\xEF\xBB\xBF",
                                         std::string(1, '\0'),
                                         "\x1F\x8B",
                                         "\xFF",
                                         "\xC3",
                                         "\xC3\xA9",
                                         "\xF0\x9F\x98\x80",
                                         "1",
                                         "0",
                                         ".",
                                         "-",
                                         "+",
                                         "e",
                                         "1e999",
                                         "1e-999",
                                         "nan",
                                         "inf",
                                         "-0.0",
                                         "0x1p3",
                                         "1e99999999999999999999",
                                         "123456789012345678901234567890",
                                         "0.1234567890123456789",
                                         "9007199254740993",
                                         "1 Q0 a 1 3.5 t\n",
                                         "1 0 a 1\n",
                                         "2 Q0 a 1 1 t\n",
                                         "FT911-3",
                                         "abcdefgh",
                                         "abcdefghi",
                                         "t",
                                         "301",
                                         "qid:",
                                         "1:0.5",
                                         "2:NULL",
                                         "2:16777217",
                                         "3:1.79769313486e+308",
                                         ":",
                                         "#docid = d",
                                         "1 qid:1 1:0.5 2:3 #docid = d\n",
                                         "0 1:2 2:0.25\n"};

class Mutator {
  public:
    explicit Mutator(std::uint64_t seed) : random_(seed) {}

    std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

    Input mutate(Input input, const std::vector<Input>& corpus) {
        for (std::size_t changes = 1 + below(6); changes > 0; --changes) change(input, corpus);
        if (input.size() > 4096) input.resize(4096);
        return input;
    }

  private:
    void change(Input& input, const std::vector<Input>& corpus) {
        const std::size_t at = below(input.size() + 1);
        const std::size_t size = below(std::min<std::size_t>(input.size() - at, 40) + 1);
        switch (below(8)) {
            case 0: input.insert(at, pieces[below(pieces.size())]); break;
            case 1: input.erase(at, size); break;
            case 2: input.insert(below(input.size() + 1), input.substr(at, size)); break;
            case 3: input.replace(at, size, pieces[below(pieces.size())]); break;
            case 4:
                if (at < input.size()) input[at] = static_cast<char>(below(256));
                break;
            case 5: input.resize(at); break;
            case 6: repeat_line(input, at); break;
            default: {
                const Input& other = corpus[below(corpus.size())];
                const std::size_t from = below(other.size());
                input.insert(at, other.substr(from, below(200)));
            }
        }
    }

    void repeat_line(Input& input, std::size_t at) {
        const std::size_t end = input.find('\n', at);
        const std::size_t newline = at == 0 ? std::string::npos : input.rfind('\n', at - 1);
        const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
        if (end != std::string::npos) input.insert(end + 1, input.substr(begin, end + 1 - begin));
    }

    std::mt19937_64 random_;
};

}  // namespace

int main(int count, char** arguments) {
    if (count > 2 && std::strcmp(arguments[1], "--replay") == 0) {
        for (int i = 2; i < count; ++i) run(read(arguments[i]));
        return 0;
    }
    if (count < 4) {
        std::fprintf(stderr, "usage: driver SECONDS SEED FILE... | driver --replay FILE...\n");
        return 2;
    }
    std::vector<Input> corpus;
    for (int i = 3; i < count; ++i) {
        corpus.push_back(read(arguments[i]));
        run(corpus.back());
    }
    const std::size_t given = corpus.size();
    last_input = std::string(arguments[0]) + "-last-input";
    std::signal(SIGABRT, save_input);
    Mutator mutator(std::strtoull(arguments[2], nullptr, 10));
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(std::atoi(arguments[1]));
    std::uint64_t runs = 0;
    while (std::chrono::steady_clock::now() < end) {
        current = mutator.mutate(corpus[mutator.below(corpus.size())], corpus);
        run(current);
        ++runs;
        // Some of what was made goes on, so that changes pile up; the files given always stay.
        if (mutator.below(20) == 0) {
            if (corpus.size() < given + 500)
                corpus.push_back(current);
            else
                corpus[given + mutator.below(500)] = current;
        }
    }
    std::printf("%llu inputs, nothing found\n", static_cast<unsigned long long>(runs));
    return 0;
}
