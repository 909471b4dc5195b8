#include "mpl/Config.h"

#include "mpl/Error.h"

#include <gtest/gtest.h>
#include <set>

namespace mpl {
namespace {

using std::chrono::milliseconds;

Config with(std::vector<std::string> environment) {
  return Config(environment);
}

TEST(ConfigTable, EachRowHasANameADefaultAndAMeaning) {
  std::set<std::string_view> names;
  ASSERT_FALSE(settingTable().empty());
  for (const SettingRow& row : settingTable()) {
    EXPECT_TRUE(row.name.starts_with("MPL_")) << row.name;
    EXPECT_FALSE(row.defaultValue.empty()) << row.name;
    EXPECT_GT(row.meaning.size(), 10u) << row.name;
    EXPECT_EQ(row.meaning.find('\n'), row.meaning.npos) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " stands twice";
    EXPECT_EQ(row.kind == SettingKind::word, !row.choices.empty()) << row.name;
  }
}

// A default that its own parser does not take would be a complaint about nothing the user did.
TEST(ConfigTable, DefaultsCanBeReadAsUsersInput) {
  for (const SettingRow& row : settingTable()) {
    const Config config = with({text(row.name, "=", row.defaultValue)});
    EXPECT_TRUE(config.complaints().empty()) << config.complaints().front();
    EXPECT_TRUE(config.fromUser(row.setting));
  }
}

TEST(Config, GivesDefaultsForAnEmptyEnvironment) {
  const Config config = with({});
  EXPECT_EQ(config.word(Setting::log), "warning");
  EXPECT_EQ(config.duration(Setting::connectTimeout), milliseconds(120'000));
  EXPECT_EQ(config.duration(Setting::watchInterval), milliseconds(100));
  EXPECT_FALSE(config.flag(Setting::singleton));
  EXPECT_FALSE(config.fromUser(Setting::log));
  EXPECT_TRUE(config.complaints().empty());
}

TEST(Config, TakesWhatTheUserGives) {
  const Config config = with({"MPL_LOG=debug", "MPL_SINGLETON=1", "HOME=/", "MPL_CONNECT_TIMEOUT=2.5"});
  EXPECT_EQ(config.word(Setting::log), "debug");
  EXPECT_EQ(config.text(Setting::log), "debug");
  EXPECT_TRUE(config.flag(Setting::singleton));
  EXPECT_TRUE(config.fromUser(Setting::singleton));
  EXPECT_EQ(config.duration(Setting::connectTimeout), milliseconds(2500));
  EXPECT_TRUE(config.complaints().empty());
}

TEST(Config, ReadsTimesInTheirUnits) {
  const auto timeout = [](const char* value) {
    const Config config = with({text("MPL_CONNECT_TIMEOUT=", value)});
    EXPECT_TRUE(config.complaints().empty()) << value;
    return config.duration(Setting::connectTimeout);
  };
  EXPECT_EQ(timeout("0"), milliseconds(0));
  EXPECT_EQ(timeout("7"), milliseconds(7000));
  EXPECT_EQ(timeout("7s"), milliseconds(7000));
  EXPECT_EQ(timeout(".5s"), milliseconds(500));
  EXPECT_EQ(timeout("30ms"), milliseconds(30));
  EXPECT_EQ(timeout("30MS"), milliseconds(30));
  EXPECT_EQ(timeout("2min"), milliseconds(120'000));
}

TEST(Config, ComplainsAboutTimesThatAreNone) {
  for (const char* wrong :
       {"", "-1", "soon", "5 s", "5h", "0x10", "nan", "inf", "1e30", "5ss", "--5", "5,5"}) {
    const Config config = with({text("MPL_CONNECT_TIMEOUT=", wrong)});
    ASSERT_EQ(config.complaints().size(), 1u) << wrong;
    EXPECT_NE(config.complaints()[0].find(text("MPL_CONNECT_TIMEOUT=", wrong)), std::string::npos);
    EXPECT_NE(config.complaints()[0].find("120s is used"), std::string::npos) << config.complaints()[0];
    EXPECT_EQ(config.duration(Setting::connectTimeout), milliseconds(120'000));
    EXPECT_FALSE(config.fromUser(Setting::connectTimeout));
  }
}

TEST(Config, ReadsFlags) {
  for (const char* yes : {"1", "yes", "on", "TRUE", "y", "Y"})
    EXPECT_TRUE(with({text("MPL_SINGLETON=", yes)}).flag(Setting::singleton)) << yes;
  for (const char* no : {"0", "no", "off", "False", "n", ""})
    EXPECT_FALSE(with({text("MPL_SINGLETON=", no)}).flag(Setting::singleton)) << no;
  const Config config = with({"MPL_SINGLETON=2"});
  EXPECT_FALSE(config.flag(Setting::singleton));
  ASSERT_EQ(config.complaints().size(), 1u);
  EXPECT_NE(config.complaints()[0].find("0 or 1"), std::string::npos);
}

TEST(Config, TakesOnlyTheWordsOfTheTable) {
  for (const char* wrong : {"loud", "err", "error|warning", "", "|", "Debug"}) {
    const Config config = with({text("MPL_LOG=", wrong)});
    EXPECT_EQ(config.word(Setting::log), "warning") << wrong;
    ASSERT_EQ(config.complaints().size(), 1u) << wrong;
    EXPECT_NE(config.complaints()[0].find("error|warning|info|debug"), std::string::npos);
  }
}

TEST(Config, NamesTheNearestVariableForAnUnknownOne) {
  const Config config = with({"MPL_CONECT_TIMEOUT=5", "MPL_=1", "MPL_QQQQQQQQQQQQQQQQ=1", "MPLCONFIGDIR=x"});
  ASSERT_EQ(config.complaints().size(), 3u);
  EXPECT_NE(config.complaints()[0].find("MPL_CONECT_TIMEOUT"), std::string::npos);
  EXPECT_NE(config.complaints()[0].find("did you mean MPL_CONNECT_TIMEOUT?"), std::string::npos);
  EXPECT_EQ(config.complaints()[2].find("did you mean"), std::string::npos) << config.complaints()[2];
}

TEST(Config, IsSilentAboutTheVariablesOfTheTools) {
  EXPECT_TRUE(with({"MPL_CC=gcc", "MPL_CXX=g++", "MPL_LAUNCHER=mpirun"}).complaints().empty());
}

TEST(Config, ReadingASettingAsAnotherKindIsAnError) {
  const Config config = with({});
  EXPECT_THROW(config.flag(Setting::log), Error);
  EXPECT_THROW(config.bytes(Setting::connectTimeout), Error);
  EXPECT_THROW(config.integer(Setting::singleton), Error);
}

TEST(Config, NearestNameIsWithinReach) {
  EXPECT_EQ(nearestSettingName("MPL_LOGS"), "MPL_LOG");
  EXPECT_EQ(nearestSettingName("MPL_SINGELTON"), "MPL_SINGLETON");
  EXPECT_EQ(nearestSettingName("SOMETHING_ELSE_ALTOGETHER"), "");
}

TEST(Config, TheProcessHasOne) {
  EXPECT_EQ(&Config::get(), &Config::get());
}

} // namespace
} // namespace mpl
