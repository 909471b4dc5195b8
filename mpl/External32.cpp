#include "mpl/External32.h"

#include "mpl/LayoutWalk.h"
#include "mpl/Numbers.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>

namespace mpl::external32 {

static_assert(std::endian::native == std::endian::little,
              "the conversions below turn little-endian numbers round");
static_assert(LDBL_MANT_DIG == 113 || LDBL_MANT_DIG == 64);

namespace {

void copyReversed(unsigned char* to, const unsigned char* from, std::size_t bytes) {
  std::reverse_copy(from, from + bytes, to);
}

/// One number of any basic type: `native` bytes here, `external` bytes there.
struct Number {
  BasicType basic;
  std::size_t native;
  std::size_t external;

  bool isExtended() const { return basic == BasicType::extended || basic == BasicType::complexExtended; }
  bool isSigned() const { return basic == BasicType::long32; }

  void encode(const unsigned char* from, unsigned char* to) const {
    if (isExtended()) {
      long double value;
      std::memcpy(&value, from, sizeof value);
      const Quad quad = value;
      unsigned char bytes[sizeof quad];
      std::memcpy(bytes, &quad, sizeof quad);
      return copyReversed(to, bytes, sizeof quad);
    }
    copyReversed(to, from, external); // of little-endian numbers, the first bytes are the least significant
  }

  void decode(const unsigned char* from, unsigned char* to) const {
    if (isExtended()) {
      unsigned char bytes[sizeof(Quad)];
      copyReversed(bytes, from, sizeof bytes);
      Quad quad;
      std::memcpy(&quad, bytes, sizeof quad);
      const auto value = static_cast<long double>(quad);
      std::memset(to, 0, sizeof value);
      // The last bytes of an 80-bit number are padding.
      return void(std::memcpy(to, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value));
    }
    copyReversed(to, from, external);
    const bool negative = isSigned() && (from[0] & 0x80) != 0;
    std::memset(to + external, negative ? 0xff : 0, native - external);
  }
};

Number numberOf(BasicType basic) {
  const BasicTypeInfo& info = basicTypeInfo(basic);
  const std::size_t parts = info.size / info.part; // complex numbers are two
  return {basic, info.part, info.externalSize / parts};
}

/// Converts run by run.
template <bool packing> class Converter {
public:
  using External = std::conditional_t<packing, unsigned char*, const unsigned char*>;

  explicit Converter(External external) : external_(external), begin_(external) {}

  void run(std::uintptr_t at, std::size_t bytes, BasicType basic) {
    auto* native = reinterpret_cast<unsigned char*>(at);
    const Number number = numberOf(basic);
    for (std::size_t done = 0; done < bytes; done += number.native) {
      if constexpr (packing)
        number.encode(native + done, external_);
      else
        number.decode(external_, native + done);
      external_ += number.external;
    }
  }

  void strided(std::uintptr_t at, MPI_Count count, MPI_Count stride, std::size_t bytes, BasicType basic) {
    for (MPI_Count i = 0; i < count; ++i, at += static_cast<std::uintptr_t>(stride))
      run(at, bytes, basic);
  }

  void scattered(std::uintptr_t at, const MPI_Count* offsets, MPI_Count count, std::size_t bytes,
                 BasicType basic) {
    for (MPI_Count i = 0; i < count; ++i)
      run(at + static_cast<std::uintptr_t>(offsets[i]), bytes, basic);
  }

  MPI_Count moved() const { return external_ - begin_; }

private:
  External external_;
  External begin_;
};

template <bool packing, class External>
MPI_Count convert(const Datatype& type, MPI_Count count, const void* buffer, External external) {
  const Layout& typed = type.map().typed;
  Converter<packing> converter(external);
  if (!typed.isEmpty() && count > 0)
    LayoutWalk(converter).loop(
        *typed.root(), reinterpret_cast<std::uintptr_t>(buffer) + static_cast<std::uintptr_t>(typed.offset()),
        count, type.extent());
  return converter.moved();
}

MPI_Count sizeOf(const LayoutNode& node) {
  if (node.basic != BasicType::none)
    return node.elements * basicTypeInfo(node.basic).externalSize;
  if (node.kind == LayoutNode::Kind::loop)
    return node.count * sizeOf(*node.child);
  MPI_Count sum = 0;
  for (const LayoutNodePtr& child : node.children)
    sum += sizeOf(*child);
  return sum;
}

} // namespace

MPI_Count size(const Datatype& type, MPI_Count count) {
  const LayoutNode* root = type.map().typed.root();
  return root != nullptr ? count * sizeOf(*root) : 0;
}

MPI_Count pack(const Datatype& type, MPI_Count count, const void* from, void* to) {
  return convert<true>(type, count, from, static_cast<unsigned char*>(to));
}

MPI_Count unpack(const Datatype& type, MPI_Count count, const void* from, void* to) {
  return convert<false>(type, count, to, static_cast<const unsigned char*>(from));
}

} // namespace mpl::external32
