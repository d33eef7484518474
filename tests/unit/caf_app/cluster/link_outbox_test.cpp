#define CAF_SUITE link_outbox
#include "caf_app/cluster/link_outbox.hpp"

#include <random>
#include <vector>

#include <caf/test/unit_test.hpp>

#include "caf_app/cluster/frame_reader.hpp"
#include "support/seed.hpp"

using namespace caf_app;

namespace {

link_outbox::options small() {
  return {.bytes_max = 1000, .frame_bytes_max = 500, .chunk_bytes = 20};
}

std::vector<std::pair<frame_kind, std::string>> frames_of(std::string_view bytes) {
  frame_reader reader{500};
  reader.append(bytes);
  std::vector<std::pair<frame_kind, std::string>> frames;
  while (auto frame = reader.next())
    frames.emplace_back(frame->kind, frame->body);
  CAF_CHECK_EQUAL(reader.fault(), frame_fault::none);
  CAF_CHECK_EQUAL(reader.held(), 0u);
  return frames;
}

} // namespace

CAF_TEST(only the first frame needs a wake up) {
  link_outbox box{small()};
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, "a"), push_verdict::first);
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, "b"), push_verdict::queued);
  std::string out;
  CAF_CHECK_EQUAL(box.take(out, 1000), 14u);
  CAF_CHECK(box.empty());
  CAF_CHECK_EQUAL(box.push(frame_kind::monitor, 0, "c"), push_verdict::first);
}

CAF_TEST(heartbeats leave before control and control before messages) {
  link_outbox box{small()};
  box.push(frame_kind::message, 0, "m");
  box.push(frame_kind::down, 0, "d");
  box.push(frame_kind::names, 0, "n");
  box.push(frame_kind::heartbeat, 0, "h");
  std::string out;
  box.take(out, 1000);
  const std::vector<std::pair<frame_kind, std::string>> expected{{frame_kind::heartbeat, "h"},
                                                                 {frame_kind::names, "n"},
                                                                 {frame_kind::message, "m"},
                                                                 {frame_kind::down, "d"}};
  CAF_CHECK(frames_of(out) == expected);
}

CAF_TEST(a heartbeat overtakes the rest of a long message) {
  link_outbox box{small()};
  box.push(frame_kind::message, 0, std::string(100, 'm'));
  std::string out;
  box.take(out, 1); // one chunk
  box.push(frame_kind::heartbeat, 0, "h");
  box.take(out, 10'000);
  const auto frames = frames_of(out);
  CAF_REQUIRE_EQUAL(frames.size(), 2u);
  CAF_CHECK_EQUAL(frames[0].first, frame_kind::heartbeat);
  CAF_CHECK_EQUAL(frames[1].second, std::string(100, 'm'));
}

CAF_TEST(messages are refused above the bound and others above twice the bound) {
  link_outbox box{small()};
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, std::string(494, 'x')), push_verdict::first);
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, std::string(494, 'x')), push_verdict::queued);
  CAF_CHECK_EQUAL(box.bytes(), 1000u);
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, ""), push_verdict::congested);
  CAF_CHECK_EQUAL(box.push(frame_kind::down, 0, std::string(494, 'x')), push_verdict::queued);
  CAF_CHECK_EQUAL(box.push(frame_kind::names, 0, std::string(494, 'x')), push_verdict::queued);
  CAF_CHECK_EQUAL(box.push(frame_kind::down, 0, ""), push_verdict::overflow);
  std::string out;
  box.take(out, 10'000);
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, ""), push_verdict::first);
}

CAF_TEST(a frame longer than the peer accepts is refused) {
  link_outbox box{small()};
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, std::string(501, 'x')), push_verdict::too_long);
  CAF_CHECK(box.empty());
  CAF_CHECK_EQUAL(box.push(frame_kind::message, 0, std::string(500, 'x')), push_verdict::first);
}

CAF_TEST(each lane keeps its order whatever is taken when) {
  std::mt19937 random{test_seed()};
  link_outbox box{small()};
  std::string out;
  uint8_t next[2] = {0, 0};
  std::vector<std::pair<frame_kind, uint8_t>> sent;
  for (int round = 0; round < 500; ++round) {
    const bool control = random() % 3 == 0;
    std::string body(1 + random() % 60, static_cast<char>(next[control]));
    if (box.push(control ? frame_kind::groups : frame_kind::message, 0, std::move(body)) <=
        push_verdict::first)
      ++next[control];
    if (random() % 2 == 0)
      box.take(out, out.size() + random() % 100);
  }
  box.take(out, 1 << 20);
  uint8_t seen[2] = {0, 0};
  for (const auto& [kind, body] : frames_of(out))
    CAF_CHECK_EQUAL(static_cast<uint8_t>(body[0]), seen[kind == frame_kind::groups]++);
  CAF_CHECK_EQUAL(seen[0], next[0]);
  CAF_CHECK_EQUAL(seen[1], next[1]);
}
