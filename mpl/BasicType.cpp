#include "mpl/BasicType.h"

#include <array>

namespace mpl {

namespace {

constexpr BasicTypeInfo plain(std::uint8_t size) {
  return {size, size, size, size};
}
constexpr BasicTypeInfo pairOf(std::uint8_t part) {
  return {static_cast<std::uint8_t>(2 * part), part, static_cast<std::uint8_t>(2 * part), part};
}

constexpr BasicTypeInfo infoOf(BasicType type) {
  switch (type) {
  case BasicType::none:
    return {};
  case BasicType::byte:
  case BasicType::character:
  case BasicType::boolean:
  case BasicType::int8:
  case BasicType::uint8:
  case BasicType::logical1:
    return plain(1);
  case BasicType::int16:
  case BasicType::uint16:
  case BasicType::logical2:
  case BasicType::half:
    return plain(2);
  case BasicType::int32:
  case BasicType::uint32:
  case BasicType::logical4:
  case BasicType::single:
    return plain(4);
  case BasicType::int64:
  case BasicType::uint64:
  case BasicType::logical8:
  case BasicType::real64:
    return plain(8);
  case BasicType::int128:
  case BasicType::logical16:
  case BasicType::quad:
    return plain(16);
  case BasicType::wideCharacter:
    return {sizeof(wchar_t), alignof(wchar_t), 2, sizeof(wchar_t)};
  case BasicType::long32:
  case BasicType::ulong32:
    return {sizeof(long), alignof(long), 4, sizeof(long)};
  case BasicType::extended:
    return {sizeof(long double), alignof(long double), 16, sizeof(long double)};
  case BasicType::complexHalf:
    return pairOf(2);
  case BasicType::complexSingle:
    return pairOf(4);
  case BasicType::complexReal64:
    return pairOf(8);
  case BasicType::complexExtended:
    return {2 * sizeof(long double), alignof(long double), 32, sizeof(long double)};
  case BasicType::complexQuad:
    return pairOf(16);
  }
  return {};
}

constexpr auto table = [] {
  std::array<BasicTypeInfo, basicTypeCount> result{};
  for (int i = 0; i < basicTypeCount; ++i)
    result[static_cast<std::size_t>(i)] = infoOf(static_cast<BasicType>(i));
  return result;
}();

} // namespace

const BasicTypeInfo& basicTypeInfo(BasicType type) noexcept {
  return table[static_cast<std::size_t>(type)];
}

} // namespace mpl
