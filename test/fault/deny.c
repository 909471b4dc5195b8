/* deny CALLS PROGRAM ARGUMENT...: runs the program under a filter that answers EPERM to system calls, as
   containers do. CALLS: cma (process_vm_readv, process_vm_writev), pidfd (pidfd_open), shm (shmget), several
   joined by commas. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char** arguments) {
  struct sock_filter filter[32];
  unsigned short length = 0;
  if (count < 3) {
    fprintf(stderr, "usage: deny CALLS PROGRAM ARGUMENT...\n");
    return 2;
  }
  const struct {
    const char* name;
    long call;
  } calls[] = {{"cma", SYS_process_vm_readv},
               {"cma", SYS_process_vm_writev},
               {"pidfd", SYS_pidfd_open},
               {"shm", SYS_shmget}};
  const struct sock_filter load = BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  filter[length++] = load;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
    if (strstr(arguments[1], calls[i].name) == NULL)
      continue;
    const struct sock_filter compare = BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[i].call, 0, 1);
    const struct sock_filter refuse = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    filter[length++] = compare;
    filter[length++] = refuse;
  }
  const struct sock_filter allow = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[length++] = allow;
  const struct sock_fprog program = {length, filter};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    perror("deny: this kernel sets no filter");
    return 77;
  }
  execvp(arguments[2], arguments + 2);
  perror(arguments[2]);
  return 127;
}
