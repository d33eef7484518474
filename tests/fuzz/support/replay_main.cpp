// The main function of a fuzz target where libFuzzer is not at hand: replays files, then mutations
// of them. No coverage guides it; what it finds, it finds because the targets check a lot per
// input.
//
//   TARGET [--runs N] [--seed N] [--first N] FILE|DIRECTORY...
//
// Run i of a seed is always the same input: `--first i --runs 1` repeats it. An input that kills
// the process is written to "<target>.crash" in the working directory.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <sanitizer/common_interface_defs.h>

#include "fuzz/support/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

// What a dying process has to write down; a signal handler has no other way to reach it.
struct {
  const std::string* input = nullptr;
  std::string file;
} current;

void write_crash() {
  if (current.input == nullptr)
    return;
  const int fd = open(current.file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (fd < 0)
    return;
  const auto written = write(fd, current.input->data(), current.input->size());
  static_cast<void>(written);
  close(fd);
  const std::string text = "input written to " + current.file + "\n";
  static_cast<void>(!write(STDERR_FILENO, text.data(), text.size()));
}

void on_abort(int) {
  write_crash();
  std::signal(SIGABRT, SIG_DFL);
  std::raise(SIGABRT);
}

void run(const std::string& input) {
  // An exact copy on the heap, so that reading past its end is seen.
  const std::vector<uint8_t> bytes(input.begin(), input.end());
  current.input = &input;
  LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  current.input = nullptr;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

std::vector<std::string> read_corpus(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const auto& path : paths) {
    if (!std::filesystem::is_directory(path))
      files.push_back(path);
    else
      for (const auto& entry : std::filesystem::directory_iterator{path})
        files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end()); // the order decides on the mutations
  std::vector<std::string> corpus;
  for (const auto& file : files)
    corpus.push_back(read_file(file));
  return corpus;
}

} // namespace

int main(int argc, char** argv) {
  uint64_t runs = 0;
  uint64_t first = 0;
  uint64_t seed = 1;
  std::vector<std::filesystem::path> paths;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    auto* number = word == "--runs"    ? &runs
                   : word == "--first" ? &first
                   : word == "--seed"  ? &seed
                                       : nullptr;
    if (number == nullptr)
      paths.emplace_back(word);
    else if (++i < argc)
      *number = std::strtoull(argv[i], nullptr, 10);
  }
  current.file = std::filesystem::path{argv[0]}.filename().string() + ".crash";
  __sanitizer_set_death_callback(write_crash);
  std::signal(SIGABRT, on_abort);
  const auto corpus = read_corpus(paths);
  if (corpus.empty()) {
    std::cerr << "no corpus\n";
    return 2;
  }
  for (const auto& input : corpus)
    run(input);
  for (auto i = first; i < first + runs; ++i) {
    std::mt19937_64 random{seed * 0x9e3779b97f4a7c15 + i};
    run(fuzz::mutate(corpus, random));
  }
  std::cout << corpus.size() << " files, " << runs << " mutations, seed " << seed
            << ": no finding\n";
  return 0;
}
