// What a client may do wrong (or strangely) on an HTTP/2 connection, as data: bytes after the
// greeting, and what has to come back. Sources: RFC 9113 §4.2, §5.1, §5.4, §6, §8; CVE-2024-27316
// for CONTINUATION.
#pragma once

#include <string>
#include <vector>

#include "support/h2_frames.hpp"

struct h2_script {
  const char* name;
  std::string bytes;    ///< after h2::hello()
  std::string expected; ///< words of h2_client::summary(), sorted
};

namespace h2 {

/// A request on stream 1 that ends with its head.
inline std::string only(const lines& fields) { return section(1, fields, end_stream); }

inline std::string with(const std::string& name, const std::string& value) {
  return only(request("GET", "/", {{name, value}}));
}

inline lines many_fields(size_t count) {
  lines result;
  for (size_t i = 0; i < count; ++i)
    result.emplace_back("x", "y");
  return result;
}

/// A request in one HEADERS and `count` CONTINUATION frames.
inline std::string continued(size_t count) {
  auto result = frame(headers, end_stream, 1, hpack(request("GET")));
  for (size_t i = 1; i <= count; ++i)
    result += frame(continuation, i == count ? end_headers : none, 1, hpack({{"x", "y"}}));
  return result;
}

/// Lines of about `bytes` after the first frame's, in CONTINUATION frames.
inline std::string spread(std::string first, size_t bytes) {
  constexpr size_t part = 16 * 1024 - 16;
  for (; bytes > part; bytes -= part)
    first += frame(continuation, none, 1, hpack({{"x", std::string(part, 'y')}}));
  return first + frame(continuation, end_headers, 1, hpack({{"x", std::string(bytes, 'y')}}));
}

inline std::string large_head(size_t bytes) {
  return spread(frame(headers, end_stream, 1, hpack(request("GET"))), bytes);
}

inline std::string large_trailers(size_t bytes) {
  return spread(frame(headers, end_stream, 1, hpack({{"x", "y"}})), bytes);
}

inline std::string repeated(size_t count, const std::string& bytes) {
  std::string result;
  for (size_t i = 0; i < count; ++i)
    result += bytes;
  return result;
}

} // namespace h2

/// Requests: each answered, refused with a status, or reset; the connection lives.
inline std::vector<h2_script> h2_request_scripts() {
  using namespace h2;
  const std::string malformed = "1:rst(PROTOCOL_ERROR)";
  const auto sized = [](const char* length, const std::string& content) {
    return post(1, {{"content-length", length}}) + body(1, content);
  };
  return {
      {"GET", get(1), "1:200"},
      {"HEAD", only(request("HEAD")), "1:200"},
      {"POST with content", post(1) + body(1, "abc"), "1:200"},
      {"content in parts, some empty",
       post(1) + body(1, "a", none) + body(1, "", none) + body(1, "b", none) + body(1, ""),
       "1:200"},
      {"padded content", post(1) + frame(data, padded | end_stream, 1, std::string("\2ab\0\0", 5)),
       "1:200"},
      {"content as long as announced", sized("3", "abc"), "1:200"},
      {"content shorter than announced", sized("4", "abc"), malformed},
      {"content longer than announced", sized("2", "abc"), malformed},
      {"announced content missing", with("content-length", "1"), malformed},
      {"announced length of nothing", with("content-length", "0"), "1:200"},
      {"length that is no number", sized("3x", "abc"), malformed},
      {"negative length", sized("-3", "abc"), malformed},
      {"length of 20 digits", sized("99999999999999999999", "abc"), malformed},
      {"two lengths", post(1, {{"content-length", "3"}, {"content-length", "3"}}) + body(1, "abc"),
       malformed},
      {"trailers", post(1) + body(1, "abc", none) + section(1, {{"x", "y"}}, end_stream), "1:200"},
      {"trailers without end", post(1) + section(1, {{"x", "y"}}, none), malformed},
      {"trailers with a pseudo field", post(1) + section(1, {{":path", "/"}}, end_stream),
       malformed},
      {"trailers of upper case", post(1) + section(1, {{"X", "y"}}, end_stream), malformed},
      {"trailers over their limit", post(1) + large_trailers(33 * 1024), malformed},
      {"upper case name", with("X-A", "b"), malformed},
      {"name with a space", with("x a", "b"), malformed},
      {"name with a colon", with("x:a", "b"), malformed},
      {"empty name", with("", "b"), malformed},
      {"value with LF", with("x", "a\nb"), malformed},
      {"value with CR", with("x", "a\rb"), malformed},
      {"value with NUL", with("x", std::string("a\0b", 3)), malformed},
      {"value with blank at its begin", with("x", " a"), malformed},
      {"value with blank at its end", with("x", "a\t"), malformed},
      {"value beyond ASCII", with("x", "\xc3\xa4"), "1:200"},
      {"no method", only({{":scheme", "https"}, {":path", "/"}, {":authority", "a"}}), malformed},
      {"no scheme", only({{":method", "GET"}, {":path", "/"}, {":authority", "a"}}), malformed},
      {"no path", only({{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}}), malformed},
      {"empty path", only(request("GET", "")), malformed},
      {"path without a slash", only(request("GET", "a")), malformed},
      {"path with a space", only(request("GET", "/a b")), malformed},
      {"path twice", with(":path", "/"), malformed},
      {"method with a space", only(request("GE T")), malformed},
      {"unknown pseudo field", with(":x", "y"), malformed},
      {"pseudo field of responses", with(":status", "200"), malformed},
      {"pseudo field after others",
       only({{":method", "GET"}, {":scheme", "https"}, {"x", "y"}, {":path", "/"}}), malformed},
      {"connection", with("connection", "close"), malformed},
      {"keep-alive", with("keep-alive", "5"), malformed},
      {"proxy-connection", with("proxy-connection", "close"), malformed},
      {"transfer-encoding", with("transfer-encoding", "chunked"), malformed},
      {"upgrade", with("upgrade", "websocket"), malformed},
      {"te of codings", with("te", "gzip"), malformed},
      {"te of trailers", with("te", "trailers"), "1:200"},
      {"no authority", only({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}}), malformed},
      {"host instead of authority",
       only({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {"host", "a"}}), "1:200"},
      {"host like the authority", with("host", "EXAMPLE.org"), "1:200"},
      {"host unlike the authority", with("host", "example.com"), malformed},
      {"two hosts",
       only({{":method", "GET"},
             {":scheme", "https"},
             {":path", "/"},
             {"host", "a"},
             {"host", "a"}}),
       malformed},
      {"authority with userinfo",
       only({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":authority", "u@a"}}),
       "1:400"},
      {"authority with a bad port",
       only({{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":authority", "a:99999"}}),
       "1:400"},
      {"path with a bad escape", only(request("GET", "/%zz")), "1:400"},
      {"CONNECT", only({{":method", "CONNECT"}, {":authority", "a:443"}}), "1:400"},
      {"CONNECT with a path", only(request("CONNECT")), malformed},
      {"OPTIONS of everything", only(request("OPTIONS", "*")), "1:200"},
      {"GET of everything", only(request("GET", "*")), malformed},
      {"method nobody knows", only(request("BREW")), "1:200"},
      {"a hundred fields", only(request("GET", "/", many_fields(100))), "1:200"},
      {"a hundred and one fields", only(request("GET", "/", many_fields(101))), "1:400"},
      {"head over its limit", large_head(33 * 1024) + get(3), "1:400 3:200"},
      {"target at its limit", only(request("GET", "/" + std::string(8191, 'a'))), "1:200"},
      {"target over its limit", only(request("GET", "/" + std::string(8192, 'a'))), "1:400"},
      {"padded head",
       frame(headers, padded | end_stream | end_headers, 1,
             '\3' + hpack(request("GET")) + std::string(3, '\0')),
       "1:200"},
      {"head with a priority",
       frame(headers, prioritised | end_stream | end_headers, 1,
             be32(0) + '\x10' + hpack(request("GET"))),
       "1:200"},
      {"eight CONTINUATION frames", continued(8), "1:200"},
      {"urgency", with("priority", "u=0, i"), "1:200"},
      {"urgency that cannot be read", with("priority", "u=x"), "1:200"},
      {"stream window too far", post(1) + window(1, 0x7fffffff), "1:rst(FLOW_CONTROL_ERROR)"},
      {"client resets its request", post(1) + rst(1) + get(3), "3:200"},
  };
}

/// Frames around requests: harmless ones, and those that end the connection.
inline std::vector<h2_script> h2_frame_scripts() {
  using namespace h2;
  const auto ends = [](const std::string& code) { return "closing goaway(" + code + ")"; };
  const auto head = hpack(request("GET"));
  return {
      {"PING", frame(ping, none, 0, "12345678"), "pong"},
      {"PING answer that nobody asked for", frame(ping, ack, 0, "12345678"), ""},
      {"unknown frame", frame(0x42, 0xff, 0, "abc") + frame(0x42, 0, 7, ""), ""},
      {"unknown setting", frame(settings, none, 0, setting(0x4242, 1)), ""},
      {"PRIORITY of an idle stream", frame(priority, none, 5, be32(0) + '\1'), ""},
      {"PRIORITY_UPDATE", frame(priority_update, none, 0, be32(1) + "u=1"), ""},
      {"table of no size", frame(settings, none, 0, setting(1, 0)) + get(1), "1:200"},
      {"window of the connection", window(0, 5), ""},
      {"DATA on stream 0", frame(data, none, 0, "a"), ends("PROTOCOL_ERROR")},
      {"HEADERS on stream 0", frame(headers, end_headers, 0, head), ends("PROTOCOL_ERROR")},
      {"HEADERS on a stream that was left out", post(3) + get(1), ends("PROTOCOL_ERROR")},
      {"HEADERS on an even stream", get(2), ends("PROTOCOL_ERROR")},
      {"HEADERS that depend on themselves",
       frame(headers, prioritised | end_headers, 1, be32(1) + '\1' + head), ends("PROTOCOL_ERROR")},
      {"HEADERS without its end, then DATA",
       frame(headers, none, 1, head) + frame(data, none, 1, "a"), ends("PROTOCOL_ERROR")},
      {"HEADERS without its end, then PING",
       frame(headers, none, 1, head) + frame(ping, none, 0, "12345678"), ends("PROTOCOL_ERROR")},
      {"CONTINUATION of nothing", frame(continuation, end_headers, 1, head),
       ends("PROTOCOL_ERROR")},
      {"CONTINUATION of another stream",
       frame(headers, none, 1, head) + frame(continuation, end_headers, 3), ends("PROTOCOL_ERROR")},
      {"nine CONTINUATION frames", continued(9), ends("ENHANCE_YOUR_CALM")},
      {"nine empty CONTINUATION frames",
       frame(headers, none, 1, head) + repeated(9, frame(continuation, none, 1)),
       ends("ENHANCE_YOUR_CALM")},
      {"DATA on an idle stream", body(5, "a"), ends("PROTOCOL_ERROR")},
      {"RST_STREAM on an idle stream", rst(5), ends("PROTOCOL_ERROR")},
      {"RST_STREAM on stream 0", rst(0), ends("PROTOCOL_ERROR")},
      {"RST_STREAM of three bytes", frame(rst_stream, none, 1, "abc"), ends("FRAME_SIZE_ERROR")},
      {"WINDOW_UPDATE on an idle stream", window(5, 1), ends("PROTOCOL_ERROR")},
      {"WINDOW_UPDATE of nothing", window(0, 0), ends("PROTOCOL_ERROR")},
      {"WINDOW_UPDATE of nothing on a stream", post(1) + window(1, 0), ends("PROTOCOL_ERROR")},
      {"WINDOW_UPDATE too far", window(0, 0x7fffffff), ends("FLOW_CONTROL_ERROR")},
      {"WINDOW_UPDATE of three bytes", frame(window_update, none, 0, "abc"),
       ends("FRAME_SIZE_ERROR")},
      {"PING of seven bytes", frame(ping, none, 0, "1234567"), ends("FRAME_SIZE_ERROR")},
      {"PING on a stream", frame(ping, none, 1, "12345678"), ends("PROTOCOL_ERROR")},
      {"GOAWAY of seven bytes", frame(goaway, none, 0, "1234567"), ends("FRAME_SIZE_ERROR")},
      {"GOAWAY on a stream", frame(goaway, none, 1, be32(0) + be32(0)), ends("PROTOCOL_ERROR")},
      {"PRIORITY of four bytes", frame(priority, none, 1, be32(0)), ends("FRAME_SIZE_ERROR")},
      {"PUSH_PROMISE", frame(push_promise, end_headers, 1, be32(2) + head), ends("PROTOCOL_ERROR")},
      {"SETTINGS of five bytes", frame(settings, none, 0, "12345"), ends("FRAME_SIZE_ERROR")},
      {"SETTINGS on a stream", frame(settings, none, 1), ends("PROTOCOL_ERROR")},
      {"SETTINGS answer with content", frame(settings, ack, 0, setting(1, 1)),
       ends("FRAME_SIZE_ERROR")},
      {"SETTINGS answer that nobody asked for", frame(settings, ack, 0), ends("PROTOCOL_ERROR")},
      {"push of two", frame(settings, none, 0, setting(2, 2)), ends("PROTOCOL_ERROR")},
      {"window over 31 bits", frame(settings, none, 0, setting(4, 0x80000000)),
       ends("FLOW_CONTROL_ERROR")},
      {"frames of one byte", frame(settings, none, 0, setting(5, 1)), ends("PROTOCOL_ERROR")},
      {"frames of 16 MiB", frame(settings, none, 0, setting(5, 0x1000000)), ends("PROTOCOL_ERROR")},
      {"32 settings", frame(settings, none, 0, repeated(32, setting(3, 1))), ""},
      {"33 settings", frame(settings, none, 0, repeated(33, setting(3, 1))),
       ends("ENHANCE_YOUR_CALM")},
      {"frame over 16 KiB", frame(data, none, 1, std::string(16385, 'a')),
       ends("FRAME_SIZE_ERROR")},
      {"padding longer than the frame", post(1) + frame(data, padded, 1, "\5ab"),
       ends("PROTOCOL_ERROR")},
      {"HPACK index beyond the tables", frame(headers, end_headers, 1, "\xfe"),
       ends("COMPRESSION_ERROR")},
      {"HPACK string beyond the block",
       frame(headers, end_headers, 1,
             std::string("\0\x05"
                         "ab",
                         4)),
       ends("COMPRESSION_ERROR")},
      {"HPACK table larger than allowed", frame(headers, end_headers, 1, "\x3f\xff\xff\x03" + head),
       ends("COMPRESSION_ERROR")},
      {"HPACK index zero", frame(headers, end_headers, 1, "\x80"), ends("COMPRESSION_ERROR")},
      {"client says goodbye", frame(goaway, none, 0, be32(0) + be32(0)), "closing"},
  };
}
