// Info objects, at every time of a program's life (MPI-5.0, chapter 10 and section 11.2.1).
#include "test/mpi/Check.h"

using check::errorClass;

namespace {

// The value of a key, "(none)" where it is not there.
std::string get(MPI_Info info, const char* key) {
  int flag = -1;
  int length = -1;
  CHECK_EQ(MPI_Info_get_valuelen(info, key, &length, &flag), MPI_SUCCESS);
  if (!flag)
    return "(none)";
  std::vector<char> value(static_cast<size_t>(length) + 1, '?');
  CHECK_EQ(MPI_Info_get(info, key, length, value.data(), &flag), MPI_SUCCESS);
  CHECK(flag);
  CHECK_EQ(value.back(), '\0');
  return value.data();
}

std::vector<std::string> keys(MPI_Info info) {
  int count = -1;
  CHECK_EQ(MPI_Info_get_nkeys(info, &count), MPI_SUCCESS);
  std::vector<std::string> out;
  for (int n = 0; n < count; ++n) {
    char key[MPI_MAX_INFO_KEY + 1];
    CHECK_EQ(MPI_Info_get_nthkey(info, n, key), MPI_SUCCESS);
    out.push_back(key);
  }
  return out;
}

void setGetDelete() {
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  CHECK(keys(info).empty());
  CHECK_EQ(MPI_Info_set(info, "colour", "red"), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(info, "size", "large"), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(info, "colour", "green and blue"), MPI_SUCCESS);
  CHECK(keys(info) == (std::vector<std::string>{"colour", "size"}));
  CHECK_EQ(get(info, "colour"), std::string("green and blue"));
  CHECK_EQ(get(info, "weight"), std::string("(none)"));
  CHECK_EQ(MPI_Info_delete(info, "colour"), MPI_SUCCESS);
  CHECK(keys(info) == std::vector<std::string>{"size"});
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  CHECK(info == MPI_INFO_NULL);
}

void duplication() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info copy = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "b", "1");
  MPI_Info_set(info, "a", "2");
  CHECK_EQ(MPI_Info_dup(info, &copy), MPI_SUCCESS);
  CHECK(copy != info);
  MPI_Info_set(info, "b", "3");
  CHECK(keys(copy) == (std::vector<std::string>{"b", "a"}));
  MPI_Info_free(&info);
  CHECK_EQ(get(copy, "b"), std::string("1"));
  MPI_Info_free(&copy);
}

void shortBuffers() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "key", "0123456789");
  char value[16];
  std::memset(value, '?', sizeof value);
  int flag = 0;
  CHECK_EQ(MPI_Info_get(info, "key", 4, value, &flag), MPI_SUCCESS);
  CHECK(flag);
  CHECK_EQ(std::string(value), std::string("0123"));
  CHECK_EQ(value[5], '?');
#if CHECK_MPI_40
  std::memset(value, '?', sizeof value);
  int room = 4;
  CHECK_EQ(MPI_Info_get_string(info, "key", &room, value, &flag), MPI_SUCCESS);
  CHECK_EQ(std::string(value), std::string("012"));
  CHECK_EQ(value[4], '?');
  CHECK_EQ(room, 11);
  room = 0;
  std::memset(value, '?', sizeof value);
  CHECK_EQ(MPI_Info_get_string(info, "key", &room, value, &flag), MPI_SUCCESS);
  CHECK_EQ(value[0], '?');
  CHECK_EQ(room, 11);
  room = 0;
  CHECK_EQ(MPI_Info_get_string(info, "key", &room, nullptr, &flag), MPI_SUCCESS);
  CHECK_EQ(room, 11);
  CHECK_EQ(MPI_Info_get_string(info, "key", &room, value, &flag), MPI_SUCCESS);
  CHECK_EQ(std::string(value), std::string("0123456789"));
  room = 5;
  CHECK_EQ(MPI_Info_get_string(info, "other", &room, value, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  CHECK_EQ(room, 5);
#endif
  MPI_Info_free(&info);
}

void limits() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
#ifdef MPI_ABI_VERSION
  const std::string longestKey(MPI_MAX_INFO_KEY - 1, 'k');
  const std::string longestValue(MPI_MAX_INFO_VAL - 1, 'v');
#else
  const std::string longestKey(30, 'k');
  const std::string longestValue(200, 'v');
#endif
  CHECK_EQ(MPI_Info_set(info, longestKey.c_str(), longestValue.c_str()), MPI_SUCCESS);
  CHECK_EQ(get(info, longestKey.c_str()), longestValue);
  CHECK_EQ(keys(info).front(), longestKey);
  MPI_Info_free(&info);
}

void badArgumentsAreErrors() {
#ifdef MPI_ABI_VERSION
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info freed = MPI_INFO_NULL;
  MPI_Info_create(&freed);
  const MPI_Info stale = freed;
  MPI_Info_free(&freed);
  int number = -7;
  int flag = -7;
  char text[MPI_MAX_INFO_VAL] = "?";
  for (const MPI_Info bad : {MPI_INFO_NULL, stale}) {
    CHECK_EQ(MPI_Info_set(bad, "k", "v"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_delete(bad, "k"), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_get(bad, "k", 1, text, &flag), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_get_string(bad, "k", &number, text, &flag), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_get_valuelen(bad, "k", &number, &flag), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_get_nkeys(bad, &number), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_get_nthkey(bad, 0, text), MPI_ERR_INFO);
    CHECK_EQ(MPI_Info_dup(bad, &freed), MPI_ERR_INFO);
    MPI_Info copy = bad;
    CHECK_EQ(MPI_Info_free(&copy), MPI_ERR_INFO);
    CHECK(copy == bad);
  }
  const std::string longKey(MPI_MAX_INFO_KEY, 'k');
  const std::string longValue(MPI_MAX_INFO_VAL, 'v');
  CHECK_EQ(MPI_Info_set(info, longKey.c_str(), "v"), MPI_ERR_INFO_KEY);
  CHECK_EQ(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
  CHECK_EQ(MPI_Info_set(info, nullptr, "v"), MPI_ERR_INFO_KEY);
  CHECK_EQ(MPI_Info_set(info, "k", longValue.c_str()), MPI_ERR_INFO_VALUE);
  CHECK_EQ(MPI_Info_set(info, "k", nullptr), MPI_ERR_INFO_VALUE);
  CHECK_EQ(MPI_Info_get(info, longKey.c_str(), 1, text, &flag), MPI_ERR_INFO_KEY);
  CHECK_EQ(MPI_Info_get(info, "k", -1, text, &flag), MPI_ERR_ARG);
  CHECK_EQ(MPI_Info_get_string(info, "k", &number, text, &flag), MPI_ERR_ARG);
  CHECK_EQ(MPI_Info_get_nthkey(info, 0, text), MPI_ERR_ARG);
  CHECK_EQ(MPI_Info_delete(info, "absent"), MPI_ERR_INFO_NOKEY);
  CHECK_EQ(MPI_Info_create(nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Info_free(nullptr), MPI_ERR_ARG);
  CHECK_EQ(flag, -7);
  CHECK_EQ(number, -7);
  CHECK(keys(info).empty());
  CHECK_EQ(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
  CHECK_EQ(MPI_Info_delete(MPI_INFO_ENV, "wdir"), MPI_ERR_INFO);
  MPI_Info env = MPI_INFO_ENV;
  CHECK_EQ(MPI_Info_free(&env), MPI_ERR_INFO);
  CHECK(env == MPI_INFO_ENV);
  CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
  CHECK(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)) == MPI_INFO_ENV);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
#endif
}

std::string programName;

void environment() {
  CHECK_EQ(get(MPI_INFO_ENV, "maxprocs"), std::to_string(check::size()));
  CHECK(get(MPI_INFO_ENV, "wdir") != "(none)");
  CHECK(get(MPI_INFO_ENV, "command").find(programName) != std::string::npos);
  MPI_Info copy = MPI_INFO_NULL;
  CHECK_EQ(MPI_Info_dup(MPI_INFO_ENV, &copy), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_set(copy, "mine", "yes"), MPI_SUCCESS);
  CHECK_EQ(get(copy, "wdir"), get(MPI_INFO_ENV, "wdir"));
  MPI_Info_free(&copy);
}

#if CHECK_MPI_40
void environmentOfOtherArguments() {
  char first[] = "other";
  char second[] = "-x";
  char third[] = "7";
  char* arguments[] = {first, second, third, nullptr};
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_Info_create_env(3, arguments, &info), MPI_SUCCESS);
  CHECK_EQ(get(info, "command"), std::string("other"));
  CHECK_EQ(get(info, "argv"), std::string("-x 7"));
  CHECK_EQ(MPI_Info_set(info, "mine", "yes"), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_create_env(0, nullptr, &info), MPI_SUCCESS);
  CHECK(get(info, "command").find(programName) != std::string::npos);
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

// What may be called at any time works before MPI_Init and after MPI_Finalize.
bool worksOutside() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info copy = MPI_INFO_NULL;
  char value[8] = "";
  int room = sizeof value;
  int flag = 0;
  int count = 0;
  bool good = MPI_Info_create(&info) == MPI_SUCCESS && MPI_Info_set(info, "k", "v") == MPI_SUCCESS;
  good = good && MPI_Info_dup(info, &copy) == MPI_SUCCESS && MPI_Info_get_nkeys(copy, &count) == MPI_SUCCESS;
  good = good && count == 1 && MPI_Info_get_string(copy, "k", &room, value, &flag) == MPI_SUCCESS;
  good = good && flag && std::string(value) == "v" && MPI_Info_delete(copy, "k") == MPI_SUCCESS;
  good = good && MPI_Info_free(&copy) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS;
  good = good && MPI_Info_create_env(0, nullptr, &info) == MPI_SUCCESS && MPI_Info_free(&info) == MPI_SUCCESS;
  return good;
}
#endif

} // namespace

int main(int argc, char** argv) {
#if CHECK_MPI_40
  const bool before = worksOutside();
#endif
  MPI_Init(&argc, &argv);
  const std::string path = argv[0];
  programName = path.substr(path.find_last_of('/') + 1);
  const int status = check::run(argc, argv, {
    {"set", setGetDelete}, {"dup", duplication}, {"short", shortBuffers}, {"limits", limits},
        {"bad", badArgumentsAreErrors}, {"env", environment},
#if CHECK_MPI_40
        {"create-env", environmentOfOtherArguments}, {"before", [before] { CHECK(before); }},
#endif
  });
#if CHECK_MPI_40
  if (!worksOutside()) {
    std::printf("FAIL after MPI_Finalize\n");
    return 1;
  }
#endif
  return status;
}
