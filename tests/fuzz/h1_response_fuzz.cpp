// Responses of any bytes: slices change neither head, content, trailers, end nor error; what is
// accepted has one reading, and what is made of it for the client cannot split its response.
#include "actors/http/h1_response.hpp"

#include <string>

#include "caf_app/base/assert.hpp"

#include "actors/http/h1_writer.hpp"
#include "actors/http/proxy_head.hpp"
#include "fuzz/support/slices.hpp"

using namespace caf_app::http;

namespace {

struct outcome {
  std::string heads;
  std::string data;
  std::string trailers;
  size_t consumed = 0;
  bool error = false;
  bool done = false;

  bool operator==(const outcome&) const = default;
};

// What a client gets of a head: valid field lines, and none that frames.
void pass_on(const h1_response& head, outcome& result) {
  proxy_response_fields fields{head};
  h1_response_head ours;
  ours.status = head.status;
  ours.fields = fields.lines();
  std::string text;
  CAF_APP_ASSERT(append_head(text, ours));
  for (const auto& line : fields.lines()) {
    CAF_APP_ASSERT(line.id != known_field::transfer_encoding);
    CAF_APP_ASSERT(line.id != known_field::content_length);
    CAF_APP_ASSERT(line.id != known_field::connection);
  }
  CAF_APP_ASSERT(text.find("\r\n\r\n") == text.size() - 4);
  result.heads += text + std::to_string(static_cast<int>(head.framing)) +
                  std::to_string(head.content_length) + (head.keep_alive ? "k" : "c");
}

outcome read(const std::vector<std::string_view>& slices, method request) {
  h1_response_parser parser{{256, 8}};
  parser.reset(request);
  h1_response_body body;
  outcome result;
  auto in_body = false;
  for (const auto slice : slices) {
    std::span<const char> rest{slice};
    while (!in_body && !rest.empty()) {
      const auto [used, event] = parser.feed(rest);
      CAF_APP_ASSERT(used <= rest.size());
      if (event == response_event::error) {
        CAF_APP_ASSERT(!parser.what().empty());
        result.error = true;
        result.consumed = 0; // of the slices before
        return result;
      }
      result.consumed += used;
      rest = rest.subspan(used);
      if (event == response_event::need_more)
        break;
      pass_on(parser.response(), result);
      in_body = parser.response().status >= 200;
      if (in_body)
        body = h1_response_body{parser.response()};
      else
        parser.next();
    }
    if (!in_body)
      continue;
    for (;;) {
      const auto step = body.feed(rest);
      CAF_APP_ASSERT(step.consumed <= rest.size());
      rest = rest.subspan(step.consumed);
      result.data.append(step.data.data(), step.data.size());
      if (step.event == h1_body_event::error) {
        result.error = true;
        result.consumed = 0; // of the slices before
        return result;
      }
      result.consumed += step.consumed;
      result.done = step.event == h1_body_event::done;
      if (step.event != h1_body_event::data)
        break;
    }
    if (result.done)
      break;
  }
  for (const auto& trailer : body.trailers())
    result.trailers += trailer.name + ":" + trailer.value + "\n";
  return result;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view input{reinterpret_cast<const char*>(bytes), size};
  for (const auto request : {method::get, method::head}) {
    const auto whole = read({input}, request);
    for (uint64_t salt : {0, 1, 2})
      CAF_APP_ASSERT(read(fuzz::slices_of(input, salt), request) == whole);
    if (request == method::head)
      CAF_APP_ASSERT(whole.data.empty());
  }
  return 0;
}
