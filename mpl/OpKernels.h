#pragma once

#include "mpl/Op.h"
#include "mpl/PredefinedTypes.h"

#include <cstddef>

namespace mpl {

/// The loops of the predefined reductions: inout[i] = in[i] op inout[i] for `count` elements without gaps.
/// The buffers do not overlap and need no alignment. The operation must be defined for the type. Any thread
/// may call.
namespace opKernels {

/// Which of the processor's vectors the loops are made of: those that all processors have, or AVX2, AVX-512.
enum class Vectors { ofAll, wide, widest };

/// The widest that this processor has.
extern const Vectors vectorsHere;

/// sum, prod, min, max, land, lor, lxor, band, bor, bxor. The result does not depend on the vectors.
void reduce(Op::Kind kind, BasicType basic, const void* in, void* inout, std::size_t count,
            Vectors vectors = vectorsHere);

/// minloc, maxloc on pairs laid out as a C struct: of equal values, the smaller index wins.
void reducePairs(Op::Kind kind, PairTypes types, std::size_t extent, const void* in, void* inout,
                 std::size_t count);

} // namespace opKernels

} // namespace mpl
