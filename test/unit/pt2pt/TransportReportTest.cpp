#include "pt2pt/TransportReport.h"

#include <gtest/gtest.h>

namespace mpl {
namespace {

TEST(TransportReport, NamesEachTransportOnceInTheOrderOfLanes) {
  const std::string report =
      "#\n"
      "# UCP endpoint <no debug data>\n"
      "#\n"
      "#               peer: <no debug data>\n"
      "#                 lane[0]:  6:posix/memory.0 md[3]      -> md[3]/posix/sysdev[255] am\n"
      "#                 lane[1]:  8:cma/memory.0 md[4]        -> md[4]/cma/sysdev[255] rma_bw#0\n"
      "#                 lane[2]:  6:posix/memory.0 md[3]      -> md[3]/posix/sysdev[255] wireup\n"
      "#\n"
      "#                tag_send: 0..<egr/short>..92\n";
  EXPECT_EQ(transportsIn(report), "posix+cma");
}

TEST(TransportReport, ATextWithoutLanesNamesNone) {
  EXPECT_EQ(transportsIn(""), "");
  EXPECT_EQ(transportsIn("# UCP endpoint\nlane[0]: nothing here\n"), "");
}

} // namespace
} // namespace mpl
