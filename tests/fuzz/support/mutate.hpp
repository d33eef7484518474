// Mutations of a corpus: the usual ones of fuzzers, and bytes that text formats care for.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

class mutator {
public:
  explicit mutator(std::mt19937_64& random) : random_(random) {}

  void apply(std::string& text, const std::string& other) {
    constexpr size_t size_max = 4 * 1024;
    switch (below(9)) {
      case 0: replace(text, std::string(1, any_byte())); break;
      case 1: insert(text, std::string(1, any_byte())); break;
      case 2: erase(text); break;
      case 3: insert(text, word()); break;
      case 4: replace(text, word()); break;
      case 5: flip(text); break;
      case 6: insert(text, piece_of(text)); break;
      case 7: insert(text, piece_of(other)); break;
      default: repeat(text); break;
    }
    if (text.size() > size_max)
      text.resize(size_max);
  }

  size_t below(size_t bound) { return bound == 0 ? 0 : random_() % bound; }

private:
  char any_byte() { return static_cast<char>(random_() & 0xff); }

  std::string word() {
    constexpr std::array words{
        std::string_view{"\r\n"},
        std::string_view{"\r\n\r\n"},
        std::string_view{"\n"},
        std::string_view{"\r"},
        std::string_view{" "},
        std::string_view{"\t"},
        std::string_view{":"},
        std::string_view{";"},
        std::string_view{","},
        std::string_view{"="},
        std::string_view{"\""},
        std::string_view{"\\"},
        std::string_view{"/"},
        std::string_view{"//"},
        std::string_view{"/../"},
        std::string_view{"/./"},
        std::string_view{"%2e"},
        std::string_view{"%2F"},
        std::string_view{"%00"},
        std::string_view{"%"},
        std::string_view{"?"},
        std::string_view{"#"},
        std::string_view{"*"},
        std::string_view{"."},
        std::string_view{"["},
        std::string_view{"]"},
        std::string_view{"{"},
        std::string_view{"}"},
        std::string_view{"-1"},
        std::string_view{"0"},
        std::string_view{"65536"},
        std::string_view{"9223372036854775807"},
        std::string_view{"18446744073709551616"},
        std::string_view{"7fffffffffffffff"},
        std::string_view{"\0", 1},
        std::string_view{"\x7f"},
        std::string_view{"\xff"},
        std::string_view{"\xc3\xa4"},
    };
    return std::string{words[below(words.size())]};
  }

  std::string piece_of(const std::string& text) {
    const auto begin = below(text.size() + 1);
    return text.substr(begin, 1 + below(std::min<size_t>(64, text.size() + 1)));
  }

  void insert(std::string& text, const std::string& piece) {
    text.insert(below(text.size() + 1), piece);
  }

  void replace(std::string& text, const std::string& piece) {
    text.replace(below(text.size() + 1), piece.size(), piece);
  }

  void erase(std::string& text) {
    text.erase(below(text.size() + 1), 1 + below(below(text.size()) + 1));
  }

  void flip(std::string& text) {
    if (text.empty())
      return;
    auto& c = text[below(text.size())];
    c = static_cast<char>(c ^ (1 << below(8)));
  }

  void repeat(std::string& text) {
    const auto piece = piece_of(text);
    std::string many;
    for (size_t i = below(120); i > 0; --i)
      many += piece;
    insert(text, many);
  }

  std::mt19937_64& random_;
};

/// @returns an input made of one of `corpus` by up to eight mutations
inline std::string mutate(const std::vector<std::string>& corpus, std::mt19937_64& random) {
  mutator change{random};
  auto text = corpus[change.below(corpus.size())];
  const auto& other = corpus[change.below(corpus.size())];
  for (auto i = change.below(8) + 1; i > 0; --i)
    change.apply(text, other);
  return text;
}

} // namespace fuzz
