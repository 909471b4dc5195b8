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

const Datatype* predefinedIn(const Datatype& type) {
  if (type.isPredefined())
    return &type;
  const Datatype* found = nullptr;
  for (const Ref<Datatype>& part : type.envelope().datatypes) {
    if (part->size() == 0)
      continue; // no data of it is moved
    const Datatype* inPart = predefinedIn(*part);
    if (inPart == nullptr || (found != nullptr && found != inPart))
      return nullptr;
    found = inPart;
  }
  return found;
}

} // namespace mpl
