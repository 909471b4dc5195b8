#include "bootstrap/Topology.h"

#include "bootstrap/CpuList.h"
#include "mpl/Error.h"

#include <gtest/gtest.h>
#include <set>

namespace mpl {
namespace {

// Two packages, each one NUMA node; each has two L3 caches of two L2 caches with one core of two processors:
// processors 0-7 in package 0, 8-15 in package 1.
const Topology& machine() {
  static const Topology topology("package:2 [numa] l3:2 l2:2 core:1 pu:2");
  return topology;
}

TEST(Topology, CountsWhatIsThere) {
  EXPECT_EQ(machine().packages(), 2);
  EXPECT_EQ(machine().numaNodes(), 2);
  EXPECT_EQ(machine().cores(), 8);
  EXPECT_EQ(machine().processors(), 16);
}

TEST(Topology, LocalityIsTheSmallestPartThatHoldsBoth) {
  EXPECT_EQ(machine().locality("0", "0"), Locality::sameCore);
  EXPECT_EQ(machine().locality("0", "1"), Locality::sameCore);
  EXPECT_EQ(machine().locality("0-1", "2-3"), Locality::sharedL3);
  EXPECT_EQ(machine().locality("0", "4"), Locality::sameNuma);
  EXPECT_EQ(machine().locality("0", "8"), Locality::sameNode);
  EXPECT_EQ(machine().locality("0-7", "0-7"), Locality::sameNuma);
  EXPECT_EQ(machine().locality("0-15", "0-15"), Locality::sameNode);
  EXPECT_EQ(machine().locality("0", "0-15"), Locality::sameNode);
}

TEST(Topology, ThePartThatHoldsProcessors) {
  EXPECT_EQ(machine().partHolding(Level::package, "8-15"), 1);
  EXPECT_EQ(machine().partHolding(Level::numaNode, "3"), 0);
  EXPECT_EQ(machine().partHolding(Level::l3Cache, "4-5"), 1);
  EXPECT_EQ(machine().partHolding(Level::core, "14-15"), 7);
  EXPECT_EQ(machine().partHolding(Level::processor, "9"), 9);
  EXPECT_EQ(machine().partHolding(Level::processor, "8-9"), std::nullopt);
  EXPECT_EQ(machine().partHolding(Level::package, "7-8"), std::nullopt);
  EXPECT_EQ(machine().partHolding(Level::package, ""), std::nullopt);
  std::set<std::string> names;
  for (int level = 0; level < levelCount; ++level)
    names.insert(levelName(static_cast<Level>(level)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(levelCount));
}

TEST(Topology, OfOtherShapes) {
  const Topology l2("package:1 l2:1 core:2 pu:1");
  EXPECT_EQ(l2.locality("0", "1"), Locality::sharedL2);
  const Topology numas("package:1 numa:2 core:2 pu:1");
  EXPECT_EQ(numas.locality("0", "1"), Locality::sameNuma);
  EXPECT_EQ(numas.locality("0", "2"), Locality::samePackage);
}

TEST(Topology, LocalityDoesNotDependOnTheOrder) {
  for (const char* a : {"0", "0-3", "4", "8-15", ""})
    for (const char* b : {"1", "2", "5-6", "12", "0-15"})
      EXPECT_EQ(machine().locality(a, b), machine().locality(b, a)) << a << " and " << b;
}

TEST(Topology, UnboundAndUnknownProcessorsMeanTheWholeMachine) {
  EXPECT_EQ(machine().locality("", ""), Locality::sameNode);
  EXPECT_EQ(machine().locality("900", "0"), Locality::sameNode);
}

TEST(Topology, DescribesForPeople) {
  EXPECT_EQ(machine().describe("2"), "package 0, NUMA node 0, core 1 (processor 2)");
  EXPECT_EQ(machine().describe("0-3"), "package 0, NUMA node 0, cores 0-1 (processors 0-3)");
  EXPECT_EQ(machine().describe(""), "packages 0-1, NUMA nodes 0-1, cores 0-7 (processors 0-15)");
}

TEST(Topology, RefusesNonsense) {
  EXPECT_THROW(Topology("a machine"), Error);
  EXPECT_THROW(machine().locality("x", "0"), Error);
  EXPECT_THROW(machine().describe("1-"), Error);
}

TEST(Topology, NamesAreDistinct) {
  std::set<std::string> names;
  for (const Locality locality : {Locality::sameCore, Locality::sharedL2, Locality::sharedL3,
                                  Locality::sameNuma, Locality::samePackage, Locality::sameNode})
    names.insert(localityName(locality));
  EXPECT_EQ(names.size(), 6u);
}

TEST(Topology, OfThisMachine) {
  const Topology& here = Topology::get();
  EXPECT_EQ(&here, &Topology::get());
  EXPECT_GE(here.processors(), static_cast<int>(allowedCpus().size()));
  EXPECT_LE(here.cores(), here.processors());
  const std::string own = formatCpuList(allowedCpus());
  EXPECT_NE(here.describe(own).find("processor"), std::string::npos);
  const std::string one = formatCpuList({allowedCpus().front()});
  EXPECT_EQ(here.locality(one, one), Locality::sameCore);
}

} // namespace
} // namespace mpl
