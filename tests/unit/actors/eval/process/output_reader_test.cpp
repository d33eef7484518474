#define CAF_SUITE output_reader
#include "actors/eval/process/output_reader.hpp"

#include <caf/test/unit_test.hpp>

#include <poll.h>
#include <unistd.h>

using namespace caf_app::eval;

namespace {

constexpr int patience_ms = 60'000; // a machine under load; nothing waits that long otherwise

/// Runs a script to its end. @returns what it has printed
std::string printed_by(const std::string& script) {
  std::string result;
  {
    const output_reader reader{[&](std::string_view text) { result += text; }};
    child_options options;
    options.arguments = {"/bin/sh", "-c", script};
    options.output = reader.fd();
    auto started = start_child(options);
    if (auto why = std::get_if<std::string>(&started))
      CAF_FAIL(*why);
    pollfd ended{std::get<child>(started).pidfd(), POLLIN, 0};
    CAF_CHECK_EQUAL(::poll(&ended, 1, patience_ms), 1);
  }
  return result;
}

} // namespace

CAF_TEST(what is printed last arrives although its process has ended) {
  CAF_CHECK_EQUAL(printed_by("echo one; echo two >&2"), "one\ntwo\n");
  CAF_CHECK_EQUAL(printed_by(""), "");
}

CAF_TEST(a process that prints more than a pipe holds does not wait) {
  CAF_CHECK_EQUAL(printed_by("head -c 1000000 /dev/zero").size(), 1'000'000u);
}

CAF_TEST(a reader ends while others can still print) {
  std::string result;
  owned_fd other;
  {
    const output_reader reader{[&](std::string_view text) { result += text; }};
    other = owned_fd{::dup(reader.fd())};
    CAF_CHECK_EQUAL(::write(other.get(), "text", 4), 4);
  }
  CAF_CHECK_EQUAL(result, "text");
}
