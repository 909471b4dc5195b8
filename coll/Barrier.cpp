#include "coll/Algorithms.h"

namespace mpl::algorithm {

// Dissemination: after the round with distance d a rank knows that 2d ranks have come.
void barrier(Schedule& schedule, Members me) {
  const Block nothing{};
  for (int distance = 1; distance < me.size; distance *= 2) {
    schedule.receive(nothing, me.beyond(-distance));
    schedule.send(nothing, me.beyond(distance));
    schedule.waitAll();
  }
}

} // namespace mpl::algorithm
