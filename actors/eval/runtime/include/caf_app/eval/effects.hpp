// Effects: what a function may ask of the world is written in its type, `effects<trace, http>&` as
// first parameter. Nothing happens in the driver: each request goes through the call's effect_port,
// which checks the policy of this call.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "caf_app/eval/json.hpp"
#include "caf_app/eval/results.hpp"

namespace caf_app::eval {

/// What a function may ask for. The numbers are those of the frame `effect` (frame.hpp).
enum class effect : uint8_t { trace, error, http, files };

/// The name of an effect in policies and messages: Trace, Error, HTTP, FileSystem.
std::string_view to_string(effect value);

/// Thrown into a function that asked for an effect which its policy does not grant.
class permission_denied : public std::runtime_error {
public:
  /// @param what that was asked for; what() names it
  explicit permission_denied(effect what);
};

/// Thrown into a function whose effect was tried and went wrong.
class effect_failed : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The way out of a call: the driver's side of its worker, or a double in a test.
class effect_port {
public:
  virtual ~effect_port() = default;

  /// Whether the policy of this call grants `what`.
  virtual bool grants(effect what) const = 0;

  /// Takes one line of the call's log, without its end; more than the log holds is dropped.
  virtual void log(std::string_view line) = 0;

  /// Has `what` done outside, and waits for it.
  /// @param request an object with "method" (actors/eval/process/effect_request.hpp)
  /// @throws effect_failed
  virtual json perform(effect what, const json& request) = 0;

  /// @throws permission_denied
  void require(effect what) const {
    if (!grants(what))
      throw permission_denied{what};
  }
};

/// Tags for effects<...>: lines for the log of the call, failures with a text, HTTP, files.
struct trace {};
struct error {};
struct http {};
struct files {};

/// An answer, whatever its status.
struct http_reply {
  int status = 0;
  std::map<std::string, std::string> fields; ///< names in lower case; the first of each name
  std::string content;                       ///< UTF-8, at most 16 MiB
};

/// What effects<...> offers for one tag. All of it throws permission_denied where the policy does
/// not grant the effect.
template <class Tag>
struct effect_face;

template <>
struct effect_face<trace> {
  /// Appends a line to the call's log, which holds 1 MiB. One that is not UTF-8 is replaced by a
  /// remark.
  void trace(std::string_view line);
  effect_port* port = nullptr;
};

template <>
struct effect_face<error> {
  /// `return fx.fail("...")` from a function that returns an outcome. A text that is not UTF-8 is
  /// replaced by a remark.
  failure fail(std::string text);
  effect_port* port = nullptr;
};

template <>
struct effect_face<http> {
  /// Asks a public host that the policy names, on port 80 or 443, within 30 s; redirects are not
  /// followed.
  /// @param url http or https, without credentials
  /// @throws effect_failed if it may not be asked or does not answer, for content above 16 MiB or
  ///   that is not UTF-8
  http_reply get(std::string_view url);
  /// The same with content. @param content_type without line breaks
  http_reply post(std::string_view url, std::string_view content, std::string_view content_type);
  effect_port* port = nullptr;
};

template <>
struct effect_face<files> {
  /// Reads a file whole.
  /// @param path plain components, relative to the folder of this organisation and user; no link is
  ///   followed
  /// @throws effect_failed if it is not there, above 16 MiB or not UTF-8, and if the binding of the
  ///   call names no user
  std::string read(std::string_view path);
  /// Replaces a file whole, and makes the folders above it. @param content at most 16 MiB
  /// @throws effect_failed, the old file stays
  void write(std::string_view path, std::string_view content);
  effect_port* port = nullptr;
};

/// First parameter of a function that has effects; lives as long as its call.
template <class... Tags>
class effects : public effect_face<Tags>... {
public:
  explicit effects(effect_port& port) { ((effect_face<Tags>::port = &port), ...); }
};

} // namespace caf_app::eval
