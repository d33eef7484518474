#define CAF_SUITE frame_reader
#include "caf_app/cluster/frame_reader.hpp"

#include <random>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "support/seed.hpp"

using namespace caf_app;

namespace {

struct owned_frame {
  frame_kind kind;
  uint8_t flags;
  std::string body;
  bool operator==(const owned_frame&) const = default;
};

std::vector<owned_frame> drain(frame_reader& reader) {
  std::vector<owned_frame> frames;
  while (auto frame = reader.next())
    frames.push_back({frame->kind, frame->flags, std::string{frame->body}});
  return frames;
}

std::vector<owned_frame> read_in_slices(std::string_view bytes, size_t slice,
                                        frame_reader& reader) {
  std::vector<owned_frame> frames;
  for (size_t i = 0; i < bytes.size(); i += slice) {
    reader.append(bytes.substr(i, slice));
    for (auto& frame : drain(reader))
      frames.push_back(std::move(frame));
  }
  return frames;
}

frame_fault fault_of(std::string_view bytes, size_t limit = 100) {
  frame_reader reader{limit};
  reader.append(bytes);
  drain(reader);
  return reader.fault();
}

std::string chunk(uint8_t flags, std::string_view body) {
  std::string out;
  append_frame(out, {frame_kind::chunk, flags, body});
  return out;
}

std::string opening(uint8_t total, frame_kind kind, std::string_view piece) {
  return std::string{"\0\0\0", 3} + static_cast<char>(total) + static_cast<char>(kind) + '\0' +
         std::string{piece};
}

} // namespace

CAF_TEST(every slicing gives the same frames) {
  const std::vector<owned_frame> frames{{frame_kind::heartbeat, 0, ""},
                                        {frame_kind::message, to_group_flag, "body"},
                                        {frame_kind::names, 0, std::string(45, 'n')},
                                        {frame_kind::message, 0, std::string(100, 'm')},
                                        {frame_kind::goodbye, 0, ""}};
  std::string bytes;
  for (const auto& frame : frames)
    append_frame_in_chunks(bytes, {frame.kind, frame.flags, frame.body}, 20);
  for (size_t slice = 1; slice <= bytes.size(); ++slice) {
    frame_reader reader{100};
    CAF_CHECK(read_in_slices(bytes, slice, reader) == frames);
    CAF_CHECK_EQUAL(reader.fault(), frame_fault::none);
    CAF_CHECK_EQUAL(reader.held(), 0u);
  }
}

CAF_TEST(a body may be as long as the limit and no longer) {
  for (const size_t size : {99u, 100u, 101u}) {
    std::string bytes;
    append_frame(bytes, {frame_kind::message, 0, std::string(size, 'x')});
    CAF_CHECK_EQUAL(fault_of(bytes), size > 100 ? frame_fault::too_long : frame_fault::none);
  }
}

CAF_TEST(a length of four gigabytes is refused by its first four bytes) {
  CAF_CHECK_EQUAL(fault_of("\xff\xff\xff\xff", 16 << 20), frame_fault::too_long);
}

CAF_TEST(a request of HTTP is refused) {
  CAF_CHECK_EQUAL(fault_of("GET / HTTP/1.1\r\n\r\n", 16 << 20), frame_fault::too_long);
}

CAF_TEST(kinds that do not exist are refused) {
  CAF_CHECK_EQUAL(fault_of(std::string("\0\0\0\0\0\0", 6)), frame_fault::unknown_kind);
  CAF_CHECK_EQUAL(fault_of(std::string("\0\0\0\0\x0f\0", 6)), frame_fault::unknown_kind);
  CAF_CHECK_EQUAL(fault_of(std::string("\0\0\0\0\x0e\0", 6)), frame_fault::none);
}

CAF_TEST(control frames may come between the chunks of a message) {
  std::string bytes = chunk(first_chunk_flag, opening(4, frame_kind::message, "ab"));
  bytes += chunk(first_chunk_flag | control_chunk_flag, opening(2, frame_kind::names, "n"));
  append_frame(bytes, {frame_kind::heartbeat, 0, ""});
  bytes += chunk(last_chunk_flag | control_chunk_flag, "m");
  bytes += chunk(last_chunk_flag, "cd");
  frame_reader reader{100};
  reader.append(bytes);
  const std::vector<owned_frame> expected{{frame_kind::heartbeat, 0, ""},
                                          {frame_kind::names, 0, "nm"},
                                          {frame_kind::message, 0, "abcd"}};
  CAF_CHECK(drain(reader) == expected);
}

CAF_TEST(chunks that do not fit are refused) {
  const auto first = chunk(first_chunk_flag, opening(4, frame_kind::message, "ab"));
  CAF_CHECK_EQUAL(fault_of(first), frame_fault::none);
  const std::string wrong[] = {
      chunk(0, "ab"),                                                  // no beginning
      first + first,                                                   // two beginnings
      first + chunk(last_chunk_flag, "c"),                             // too short
      first + chunk(last_chunk_flag, "cde"),                           // too long
      first + chunk(0, "cd"),                                          // not the last one
      first + chunk(0, ""),                                            // an empty one
      chunk(first_chunk_flag, "abcde"),                                // no room for the head
      chunk(first_chunk_flag, opening(101, frame_kind::message, "a")), // above the limit
      chunk(first_chunk_flag, opening(4, frame_kind::names, "a")),     // the wrong lane
      chunk(first_chunk_flag, opening(4, frame_kind::heartbeat, "a")), // never in chunks
      chunk(first_chunk_flag, opening(4, frame_kind::chunk, "a")),     // in itself
      chunk(first_chunk_flag, opening(4, frame_kind{99}, "a")),        // unknown
  };
  for (const auto& bytes : wrong)
    CAF_CHECK_EQUAL(fault_of(bytes), frame_fault::bad_chunk);
}

CAF_TEST(nothing comes after a fault) {
  frame_reader reader{100};
  reader.append("\xff\xff\xff\xff");
  CAF_CHECK(!reader.next());
  std::string good;
  append_frame(good, {frame_kind::heartbeat, 0, ""});
  reader.append(good);
  CAF_CHECK(!reader.next());
  CAF_CHECK_EQUAL(reader.held(), 0u);
}

CAF_TEST(random bytes never hold more than was given) {
  std::mt19937 random{test_seed()};
  for (int round = 0; round < 20'000; ++round) {
    frame_reader reader{64};
    size_t given = 0;
    for (auto slices = random() % 6; slices > 0; --slices) {
      std::string bytes(random() % 40, '\0');
      for (auto& byte : bytes)
        byte = static_cast<char>(random() % 3 == 0 ? random() : random() % 16);
      if (bytes.size() > 6)
        bytes[0] = bytes[1] = bytes[2] = '\0';
      reader.append(bytes);
      given += bytes.size();
      drain(reader);
      CAF_REQUIRE(reader.held() <= given);
    }
  }
}
