/*
 * Runs a command and interferes with it at one of the system calls that change something, counted
 * from 1 over all its threads and children. x86-64 Linux only.
 *
 *     interrupt count  0 0     WHOSE REPORT COMMAND...   lets it run
 *     interrupt before N 0     WHOSE REPORT COMMAND...   kills it before call N
 *     interrupt after  N 0     WHOSE REPORT COMMAND...   kills it after call N
 *     interrupt fail   N ERRNO WHOSE REPORT COMMAND...   call N fails and does nothing
 *     interrupt hold   N 0     WHOSE REPORT COMMAND...   call N waits for the end of our standard
 *                                                        input
 *     interrupt watch  0 0     WHOSE REPORT COMMAND...   lets it run, and reports what it runs and
 *                                                        where it connects to instead
 *
 * WHOSE calls count, and who is killed: `all` of it; `first`, the process that is started here and
 * nobody else; or `second`, the first process that it starts. Of one process the calls count as well
 * by which it talks to others and leaves its terminal.
 *
 * REPORT gets a line for each call, before it is made: its name, the process, and the file it is
 * about. The exit code is that of the command; 128 and the number of the signal that ended it; 125
 * if the command could not be watched.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "start.h"

enum subject { BY_DESCRIPTOR, BY_PATH, BY_SECOND_PATH, OPENING, BY_ADDRESS };

/* What counts: the call, which of its arguments names the file, and how. */
static const struct counted {
    unsigned long number;
    const char *name;
    enum subject subject;
    int argument;
} COUNTED[] = {
    {SYS_write, "write", BY_DESCRIPTOR, 0},
    {SYS_pwrite64, "write", BY_DESCRIPTOR, 0},
    {SYS_writev, "write", BY_DESCRIPTOR, 0},
    {SYS_pwritev, "write", BY_DESCRIPTOR, 0},
    {SYS_copy_file_range, "write", BY_DESCRIPTOR, 2},
    {SYS_sendfile, "write", BY_DESCRIPTOR, 0},
    {SYS_fallocate, "write", BY_DESCRIPTOR, 0},
    {SYS_ftruncate, "truncate", BY_DESCRIPTOR, 0},
    {SYS_truncate, "truncate", BY_PATH, 0},
    {SYS_fsync, "fsync", BY_DESCRIPTOR, 0},
    {SYS_fdatasync, "fsync", BY_DESCRIPTOR, 0},
    {SYS_syncfs, "fsync", BY_DESCRIPTOR, 0},
    {SYS_flock, "flock", BY_DESCRIPTOR, 0},
    {SYS_fchmod, "chmod", BY_DESCRIPTOR, 0},
    {SYS_chmod, "chmod", BY_PATH, 0},
    {SYS_fchmodat, "chmod", BY_PATH, 1},
    {SYS_open, "open", OPENING, 0},
    {SYS_openat, "open", OPENING, 1},
    {SYS_creat, "open", BY_PATH, 0},
    {SYS_mkdir, "mkdir", BY_PATH, 0},
    {SYS_mkdirat, "mkdir", BY_PATH, 1},
    {SYS_rmdir, "rmdir", BY_PATH, 0},
    {SYS_unlink, "unlink", BY_PATH, 0},
    {SYS_unlinkat, "unlink", BY_PATH, 1},
    {SYS_rename, "rename", BY_SECOND_PATH, 1},
    {SYS_renameat, "rename", BY_SECOND_PATH, 3},
    {SYS_renameat2, "rename", BY_SECOND_PATH, 3},
    {SYS_link, "link", BY_SECOND_PATH, 1},
    {SYS_linkat, "link", BY_SECOND_PATH, 3},
    {SYS_symlink, "link", BY_SECOND_PATH, 1},
    {SYS_symlinkat, "link", BY_SECOND_PATH, 2},
};

/* What counts as well if one process is meant. */
static const struct counted TALKING[] = {
    {SYS_bind, "bind", BY_DESCRIPTOR, 0},
    {SYS_listen, "listen", BY_DESCRIPTOR, 0},
    {SYS_connect, "connect", BY_DESCRIPTOR, 0},
    {SYS_accept, "accept", BY_DESCRIPTOR, 0},
    {SYS_accept4, "accept", BY_DESCRIPTOR, 0},
    {SYS_sendto, "send", BY_DESCRIPTOR, 0},
    {SYS_sendmsg, "send", BY_DESCRIPTOR, 0},
    {SYS_shutdown, "shutdown", BY_DESCRIPTOR, 0},
    {SYS_setsid, "setsid", BY_DESCRIPTOR, 0},
    {SYS_dup2, "dup", BY_DESCRIPTOR, 1},
    {SYS_dup3, "dup", BY_DESCRIPTOR, 1},
};

/* What counts instead if somebody only watches. */
static const struct counted WATCHED[] = {
    {SYS_execve, "exec", BY_PATH, 0},
    {SYS_execveat, "exec", BY_PATH, 1},
    {SYS_connect, "connect", BY_ADDRESS, 1},
    {SYS_sendto, "connect", BY_ADDRESS, 4},
};

static const struct counted *among(const struct counted *calls, size_t count,
                                   const struct __ptrace_syscall_info *info)
{
    for (size_t i = 0; i < count; i++) {
        const struct counted *call = &calls[i];
        if (call->number != info->entry.nr)
            continue;
        unsigned long changing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
        if (call->subject == OPENING && !(info->entry.args[call->argument + 1] & changing))
            return NULL;
        return call;
    }
    return NULL;
}

#define AMONG(calls, info) among(calls, sizeof calls / sizeof *calls, info)

/* Whose calls count: 0 for all. */
static int watching, one_alone;
static pid_t whose;

static pid_t process_of(pid_t thread)
{
    char path[64], line[256];
    int process = 0;
    snprintf(path, sizeof path, "/proc/%d/status", thread);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file) && sscanf(line, "Tgid: %d", &process) != 1)
        ;
    if (file)
        fclose(file);
    return process;
}

static const struct counted *counted(pid_t thread, const struct __ptrace_syscall_info *info)
{
    if (watching)
        return AMONG(WATCHED, info);
    const struct counted *call = AMONG(COUNTED, info);
    if (one_alone) {
        call = call ? call : AMONG(TALKING, info);
        /* It may not have been started yet. */
        if (!call || !whose || process_of(thread) != whose)
            return NULL;
    }
    return call;
}

static void report(FILE *file, pid_t thread, const struct counted *call,
                   const struct __ptrace_syscall_info *info)
{
    char text[4096] = "";
    unsigned long value = info->entry.args[call->argument];
    if (call->subject == BY_ADDRESS) {
        struct sockaddr_in address = {0};
        struct iovec here = {&address, sizeof address};
        struct iovec there = {(void *)value, sizeof address};
        /* What is connected already names no address; what stays on this machine's files is no
           connection. */
        if (!value || process_vm_readv(thread, &here, 1, &there, 1, 0) < 4 ||
            (address.sin_family != AF_INET && address.sin_family != AF_INET6))
            return;
        snprintf(text, sizeof text, "%d", ntohs(address.sin_port));
    } else if (call->subject == BY_DESCRIPTOR) {
        char link[64];
        snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, (int)value);
        ssize_t length = readlink(link, text, sizeof text - 1);
        text[length < 0 ? 0 : length] = 0;
    } else {
        /* A page at a time: the next one may not be there. */
        size_t done = 0;
        while (done < sizeof text - 1 && !memchr(text, 0, done)) {
            size_t wanted = 4096 - (value + done) % 4096;
            if (wanted > sizeof text - 1 - done)
                wanted = sizeof text - 1 - done;
            struct iovec here = {text + done, wanted};
            struct iovec there = {(void *)(value + done), wanted};
            if (process_vm_readv(thread, &here, 1, &there, 1, 0) <= 0)
                break;
            done += wanted;
        }
        text[sizeof text - 1] = 0;
    }
    fprintf(file, "%s %d %s\n", call->name, thread, text);
    fflush(file);
}

static void wait_for_end_of_input(void)
{
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
}

static void set_register(pid_t thread, size_t offset, long value)
{
    ptrace(PTRACE_POKEUSER, thread, (void *)offset, (void *)value);
}

int main(int count, char **argument)
{
    if (count < 7) {
        fprintf(stderr, "usage: interrupt count|before|after|fail|hold|watch N ERRNO "
                        "all|first|second REPORT COMMAND...\n");
        return 125;
    }
    const char *action = argument[1];
    watching = !strcmp(action, "watch");
    long at = atol(argument[2]), error = atol(argument[3]), calls = 0;
    FILE *file = fopen(argument[5], "we");
    pid_t leader = file ? start(argument + 6, open("/dev/null", O_RDONLY | O_CLOEXEC)) : -1, held = 0;
    one_alone = strcmp(argument[4], "all");
    whose = strcmp(argument[4], "first") ? 0 : leader;
    int status, code = 125;
    long follow = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                  PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (leader < 0 || waitpid(leader, &status, 0) != leader ||
        ptrace(PTRACE_SETOPTIONS, leader, NULL, (void *)follow)) {
        perror("interrupt");
        return 125;
    }
    ptrace(PTRACE_SYSCALL, leader, NULL, NULL);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0)
            return code;
        if (!WIFSTOPPED(status)) {
            if (thread == leader)
                code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        long signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            struct __ptrace_syscall_info info;
            int end = 0;
            signal = 0;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info) <= 0)
                continue;
            if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
                const struct counted *call = counted(thread, &info);
                if (call) {
                    calls++;
                    report(file, thread, call, &info);
                }
                if (call && calls == at) {
                    end = !strcmp(action, "before");
                    held = thread;
                    if (!strcmp(action, "fail"))
                        set_register(thread, offsetof(struct user_regs_struct, orig_rax), -1);
                    if (!strcmp(action, "hold"))
                        wait_for_end_of_input();
                }
            } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && thread == held) {
                held = 0;
                end = !strcmp(action, "after");
                if (!strcmp(action, "fail"))
                    set_register(thread, offsetof(struct user_regs_struct, rax), -error);
            }
            if (end) {
                if (!one_alone)
                    kill(-leader, SIGKILL);
                /* It may be in a group of its own. */
                kill(one_alone ? whose : thread, SIGKILL);
                continue;
            }
        } else if (status >> 16 == PTRACE_EVENT_FORK || status >> 16 == PTRACE_EVENT_VFORK) {
            unsigned long started = 0;
            ptrace(PTRACE_GETEVENTMSG, thread, NULL, &started);
            if (one_alone && !whose)
                whose = (pid_t)started;
            signal = 0;
        } else if (signal == SIGTRAP || signal == SIGSTOP) {
            /* News of the tracing itself, not for the command. */
            signal = 0;
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, (void *)signal);
    }
}
