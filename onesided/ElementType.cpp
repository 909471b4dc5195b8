#include "onesided/ElementType.h"

#include "mpl/PredefinedTypes.h"

namespace mpl {

ElementType ElementType::of(const Datatype& predefined) {
  if (predefined.typeClass() == TypeClass::valueIndex) {
    const PairTypes pair = pairTypes(predefined);
    return {pair.value, pair.index};
  }
  return {predefined.basic(), BasicType::none};
}

namespace {

// Of a struct, a component of which there is none.
bool isLeftOut(const Envelope& made, std::size_t component) {
  if (made.combiner != MPI_COMBINER_STRUCT)
    return false;
  return made.largeCounts.empty() ? made.integers[1 + component] == 0 : made.largeCounts[1 + component] == 0;
}

} // namespace

const Datatype* predefinedIn(const Datatype& type) {
  if (type.isPredefined())
    return &type;
  const Datatype* found = nullptr;
  const Envelope& made = type.envelope();
  for (std::size_t i = 0; i < made.datatypes.size(); ++i) {
    const Datatype& part = *made.datatypes[i];
    if (part.size() == 0 || isLeftOut(made, i))
      continue; // no data of it is moved
    const Datatype* inPart = predefinedIn(part);
    if (inPart == nullptr || (found != nullptr && found != inPart))
      return nullptr;
    found = inPart;
  }
  return found;
}

} // namespace mpl
