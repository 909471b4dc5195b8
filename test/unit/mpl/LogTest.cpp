#include "mpl/Log.h"

#include <climits>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace mpl::log {
namespace {

/// Standard error goes into a pipe while one of these lives; each read from it is one write into it as long
/// as the reader is quicker, so lines are looked at and not reads.
class Captured {
public:
  Captured() {
    if (::pipe(ends_) != 0)
      std::abort();
    saved_ = ::dup(STDERR_FILENO);
    ::dup2(ends_[1], STDERR_FILENO);
    reader_ = std::thread([this] {
      char block[65536];
      for (ssize_t n; (n = ::read(ends_[0], block, sizeof block)) > 0;)
        text_.append(block, static_cast<std::size_t>(n));
    });
  }
  ~Captured() { text(); }
  const std::string& text() {
    if (saved_ >= 0) {
      ::dup2(saved_, STDERR_FILENO);
      ::close(saved_);
      ::close(ends_[1]);
      reader_.join();
      ::close(ends_[0]);
      saved_ = -1;
    }
    return text_;
  }
  std::vector<std::string> lines() {
    std::istringstream in(text());
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);)
      out.push_back(line);
    return out;
  }

private:
  int ends_[2];
  int saved_;
  std::thread reader_;
  std::string text_;
};

class Log : public ::testing::Test {
protected:
  void SetUp() override { setLevel(Level::warning); }
  void TearDown() override {
    setRank(-1);
    setLevel(Level::warning);
  }
};

TEST_F(Log, PutsTheRankInFront) {
  Captured captured;
  error("before ", 1);
  setRank(12);
  error("after ", 2);
  EXPECT_EQ(captured.text(), "mpl: before 1\nmpl[12]: after 2\n");
}

TEST_F(Log, ShowsWhatTheLevelAllows) {
  Captured captured;
  for (const Level level : {Level::error, Level::warning, Level::info, Level::debug}) {
    setLevel(level);
    const auto number = static_cast<int>(level);
    error("e", number);
    warning("w", number);
    info("i", number);
    debug("d", number);
  }
  EXPECT_EQ(captured.text(),
            "mpl: e0\nmpl: e1\nmpl: w1\nmpl: e2\nmpl: w2\nmpl: i2\nmpl: e3\nmpl: w3\nmpl: i3\nmpl: d3\n");
}

TEST_F(Log, EachLineOfAMessageGetsThePrefix) {
  Captured captured;
  setRank(3);
  error("one\ntwo\n");
  error("");
  EXPECT_EQ(captured.text(), "mpl[3]: one\nmpl[3]: two\nmpl[3]: \n");
}

TEST_F(Log, LongMessagesBecomeSeveralLinesAndLoseNothing) {
  Captured captured;
  const std::string message(3 * PIPE_BUF + 17, 'x');
  error(message);
  const auto lines = captured.lines();
  EXPECT_EQ(lines.size(), 4u);
  std::string together;
  for (const std::string& line : lines) {
    EXPECT_LE(line.size() + 1, static_cast<std::size_t>(PIPE_BUF));
    ASSERT_TRUE(line.starts_with("mpl: "));
    together += line.substr(5);
  }
  EXPECT_EQ(together, message);
}

TEST_F(Log, LinesOfSeveralThreadsAndProcessesDoNotMix) {
  Captured captured;
  constexpr int repeats = 300;
  const auto writeMany = [](char letter) {
    const std::string message(900, letter);
    for (int i = 0; i < repeats; ++i)
      error(message);
  };
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    writeMany('c');
    ::_exit(0);
  }
  std::thread other(writeMany, 'b');
  writeMany('a');
  other.join();
  int status = -1;
  ::waitpid(child, &status, 0);
  std::map<char, int> seen;
  for (const std::string& line : captured.lines()) {
    ASSERT_EQ(line.size(), 905u);
    ASSERT_EQ(line.find_first_not_of(line[5], 5), line.npos) << line;
    ++seen[line[5]];
  }
  EXPECT_EQ(seen['a'], repeats);
  EXPECT_EQ(seen['b'], repeats);
  EXPECT_EQ(seen['c'], repeats);
}

TEST_F(Log, AClosedStandardErrorHurtsNobody) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::close(STDERR_FILENO);
    errno = 77;
    error("nobody sees this");
    ::_exit(errno == 77 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(Log, SignalSafeLineWritesNumbersOfAllSizes) {
  Captured captured;
  setRank(0);
  SignalSafeLine().add(0).add(" ").add(-1).add(" ").add(LLONG_MIN).add(" ").add(LLONG_MAX).write();
  SignalSafeLine().addHex(0).add(" ").addHex(0xdeadbeefULL).add(" ").addHex(ULLONG_MAX).write();
  SignalSafeLine().add(static_cast<const char*>(nullptr)).write();
  EXPECT_EQ(captured.text(), "mpl[0]: 0 -1 -9223372036854775808 9223372036854775807\n"
                             "mpl[0]: 0x0 0xdeadbeef 0xffffffffffffffff\n"
                             "mpl[0]: (null)\n");
}

TEST_F(Log, SignalSafeLineIsOneLineAndCutsWhatIsTooLong) {
  Captured captured;
  SignalSafeLine line;
  line.add("a\nb").add(std::string(5000, 'x')).add("end").write();
  const auto lines = captured.lines();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("mpl: a bxxx"));
  EXPECT_EQ(lines[0].find("end"), std::string::npos);
  EXPECT_EQ(lines[0].size(), 1023u);
}

} // namespace
} // namespace mpl::log
