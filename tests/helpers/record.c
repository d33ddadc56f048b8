/*
 * Runs a command and writes down everything that it changes below one directory, and when it syncs
 * what, in the order in which it happens. x86-64 Linux only.
 *
 *     record ROOT TYPE LOG COMMAND...
 *
 * TYPE is what the command is told when it asks for the type of its file system, in hexadecimal; 0
 * tells the truth. The exit code is that of the command; 128 and the number of the signal that
 * ended it; 125 if it could not be recorded, which standard error explains.
 *
 * LOG gets a line for each change. Files and directories are named by their inodes, so that an open
 * file stays itself when it is renamed; the number of a file that is gone may come again with a
 * later `create` or `mkdir`. Names stand last, and bytes are hexadecimal.
 *
 *     create DIRECTORY FILE MODE NAME
 *     mkdir DIRECTORY NEW MODE NAME
 *     link DIRECTORY FILE NAME
 *     unlink DIRECTORY NAME
 *     rmdir DIRECTORY NAME
 *     rename DIRECTORY DIRECTORY NAME/NAME
 *     exchange DIRECTORY DIRECTORY NAME/NAME
 *     write FILE OFFSET BYTES
 *     truncate FILE LENGTH
 *     chmod FILE MODE
 *     fsync FILE
 *     fdatasync FILE
 *     sync
 *     print BYTES             to the standard output that the command was started with
 *
 * Why the order is right: a call that changes, syncs or prints something is made by one thread at a
 * time. Whoever comes to such a call stops at its entry and waits there until the one before has
 * stopped at its exit and has been written down. So between two lines of the log there is exactly
 * one effect, and what a sync covers is what stands above it. Calls that take a turn never wait for
 * what others do: writes to pipes, other than the standard output, and opening what is no plain file
 * go without a turn, and so does everything that changes nothing. A process ends in a turn of its
 * own, so that no call of another thread is cut off in the middle.
 *
 * Why nothing is missing: a call that is not in the table below ends the recording, whatever it is
 * about, and so does one that is used in a way that the log cannot tell.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "start.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

enum deed {
    NOTHING,
    OPEN,
    WRITE,
    TRUNCATE,
    CHMOD,
    SYNC,
    SYNC_ALL,
    MKDIR,
    UNLINK,
    RENAME,
    LINK,
    MAP,
    CONTROL,
    ASK_TYPE,
    END,
};

/* What is known: the call, what it does, and which arguments say to what. A path follows its
   directory if there is one; -1 stands for none. */
static const struct known {
    unsigned long number;
    enum deed deed;
    int descriptor, path;
} KNOWN[] = {
    {SYS_open, OPEN, -1, 0},
    {SYS_openat, OPEN, 0, 1},
    {SYS_openat2, OPEN, 0, 1},
    {SYS_creat, OPEN, -1, 0},
    {SYS_write, WRITE, 0, -1},
    {SYS_pwrite64, WRITE, 0, -1},
    {SYS_writev, WRITE, 0, -1},
    {SYS_pwritev, WRITE, 0, -1},
    {SYS_copy_file_range, WRITE, 2, -1},
    {SYS_sendfile, WRITE, 0, -1},
    {SYS_ftruncate, TRUNCATE, 0, -1},
    {SYS_truncate, TRUNCATE, -1, 0},
    {SYS_fchmod, CHMOD, 0, -1},
    {SYS_chmod, CHMOD, -1, 0},
    {SYS_fchmodat, CHMOD, 0, 1},
    {SYS_fchmodat2, CHMOD, 0, 1},
    {SYS_fsync, SYNC, 0, -1},
    {SYS_fdatasync, SYNC, 0, -1},
    {SYS_syncfs, SYNC_ALL, 0, -1},
    {SYS_sync, SYNC_ALL, -1, -1},
    {SYS_mkdir, MKDIR, -1, 0},
    {SYS_mkdirat, MKDIR, 0, 1},
    {SYS_rmdir, UNLINK, -1, 0},
    {SYS_unlink, UNLINK, -1, 0},
    {SYS_unlinkat, UNLINK, 0, 1},
    {SYS_rename, RENAME, -1, 0},
    {SYS_renameat, RENAME, 0, 1},
    {SYS_renameat2, RENAME, 0, 1},
    {SYS_link, LINK, -1, 1},
    {SYS_linkat, LINK, 2, 3},
    {SYS_mmap, MAP, 4, -1},
    {SYS_ioctl, CONTROL, 0, -1},
    {SYS_statfs, ASK_TYPE, -1, -1},
    {SYS_fstatfs, ASK_TYPE, -1, -1},
    {SYS_exit_group, END, -1, -1},
};

/* Calls that change no file. */
static const unsigned short HARMLESS[] = {
    SYS_read, SYS_pread64, SYS_readv, SYS_preadv, SYS_preadv2, SYS_close, SYS_close_range, SYS_stat,
    SYS_fstat, SYS_lstat, SYS_newfstatat, SYS_statx, SYS_access, SYS_faccessat, SYS_faccessat2,
    SYS_readlink, SYS_readlinkat, SYS_getdents, SYS_getdents64, SYS_getcwd, SYS_chdir, SYS_fchdir,
    SYS_lseek, SYS_flock, SYS_fcntl, SYS_fadvise64, SYS_readahead, SYS_dup, SYS_dup2, SYS_dup3,
    SYS_pipe, SYS_pipe2, SYS_umask, SYS_getxattr, SYS_lgetxattr, SYS_fgetxattr, SYS_listxattr,
    SYS_brk, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_mincore, SYS_membarrier,
    SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_rt_sigpending, SYS_rt_sigtimedwait,
    SYS_rt_sigsuspend, SYS_sigaltstack, SYS_signalfd4, SYS_kill, SYS_tkill, SYS_tgkill, SYS_pause,
    SYS_alarm, SYS_setitimer, SYS_nanosleep, SYS_clock_nanosleep, SYS_clock_gettime,
    SYS_clock_getres, SYS_gettimeofday, SYS_time, SYS_times, SYS_timerfd_create,
    SYS_timerfd_settime, SYS_restart_syscall, SYS_futex, SYS_poll, SYS_ppoll, SYS_select,
    SYS_pselect6, SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_wait, SYS_epoll_pwait,
    SYS_epoll_pwait2, SYS_eventfd2, SYS_clone, SYS_clone3, SYS_fork, SYS_vfork, SYS_execve,
    SYS_execveat, SYS_exit, SYS_wait4, SYS_waitid, SYS_pidfd_open, SYS_pidfd_send_signal,
    SYS_getpid, SYS_getppid, SYS_gettid, SYS_getpgid, SYS_getpgrp, SYS_setpgid, SYS_getsid,
    SYS_setsid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups, SYS_getresuid,
    SYS_getresgid, SYS_prctl, SYS_arch_prctl, SYS_set_tid_address, SYS_set_robust_list,
    SYS_get_robust_list, SYS_rseq, SYS_prlimit64, SYS_getrlimit, SYS_setrlimit, SYS_getrusage,
    SYS_sched_yield, SYS_sched_getaffinity, SYS_sched_setaffinity, SYS_sched_getparam,
    SYS_sched_getscheduler, SYS_uname, SYS_sysinfo, SYS_getrandom, SYS_getcpu, SYS_socket,
    SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_getsockname,
    SYS_getpeername, SYS_getsockopt, SYS_setsockopt, SYS_shutdown, SYS_sendto, SYS_recvfrom,
    SYS_sendmsg, SYS_recvmsg, SYS_sendmmsg,
};

static const unsigned long HARMLESS_CONTROLS[] = {TCGETS, TIOCGWINSZ, TIOCGPGRP, FIOCLEX,
                                                  FIONCLEX, FIONBIO, FIONREAD};

/* A name in a directory below the root. */
struct place {
    int inside;
    ino_t directory;
    char name[NAME_MAX + 1];
    char path[PATH_MAX];
    int exists;
    struct stat found;
};

/* A call that takes a turn. */
struct call {
    pid_t thread;
    const struct known *known;
    struct __ptrace_syscall_info entry;
    struct place place, other;
    unsigned long flags;
};

enum { MOST_CALLS = 256 };

static char root[PATH_MAX];
static struct stat root_found, output_found;
static unsigned long told_type;
static FILE *file;
static pid_t leader;

/* The calls that wait for their turn, in the order in which they came, and the one that has it. */
static struct call waiting[MOST_CALLS], *now;
static size_t wait_count;
static struct call having;

static void fail(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    fprintf(stderr, "record: ");
    vfprintf(stderr, format, values);
    fprintf(stderr, "\n");
    va_end(values);
    /* Whatever is traced ends with us. */
    exit(125);
}

static void line(const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(file, format, values);
    va_end(values);
    fputc('\n', file);
}

static const struct known *known(const struct __ptrace_syscall_info *info)
{
    if (info->arch != AUDIT_ARCH_X86_64)
        fail("a call for another kind of machine");
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (KNOWN[i].number == info->entry.nr)
            return &KNOWN[i];
    for (size_t i = 0; i < sizeof HARMLESS / sizeof *HARMLESS; i++)
        if (HARMLESS[i] == info->entry.nr)
            return NULL;
    fail("system call %llu is not understood", (unsigned long long)info->entry.nr);
    return NULL;
}

/* Reads the memory of a thread. */
static void look(pid_t thread, void *to, unsigned long from, size_t length)
{
    struct iovec here = {to, length}, there = {(void *)from, length};
    if (process_vm_readv(thread, &here, 1, &there, 1, 0) != (ssize_t)length)
        fail("the memory of %d cannot be read: %s", thread, strerror(errno));
}

/* Reads a path out of the memory of a thread: a page at a time, the next may not be there. */
static void look_path(pid_t thread, char *to, unsigned long from)
{
    size_t done = 0;
    while (done < PATH_MAX) {
        size_t wanted = 4096 - (from + done) % 4096;
        if (wanted > PATH_MAX - done)
            wanted = PATH_MAX - done;
        struct iovec here = {to + done, wanted}, there = {(void *)(from + done), wanted};
        if (process_vm_readv(thread, &here, 1, &there, 1, 0) <= 0)
            break;
        if (memchr(to + done, 0, wanted))
            return;
        done += wanted;
    }
    /* The system will say no as well. */
    to[0] = 0;
}

static int is_inside(const char *path)
{
    size_t length = strlen(root);
    return !strncmp(path, root, length) && (path[length] == '/' || path[length] == 0);
}

/* Finds out what a descriptor stands for; whether that is below the root. */
static int find_open(pid_t thread, int descriptor, struct stat *found)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, descriptor);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || stat(link, found))
        return 0;
    path[length] = 0;
    if (is_inside(path) && found->st_dev != root_found.st_dev)
        fail("%s is on another file system", path);
    return is_inside(path);
}

/* Where an open file is written next, and how it was opened. */
static void find_position(pid_t thread, int descriptor, unsigned long *position,
                          unsigned long *flags)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", thread, descriptor);
    FILE *about = fopen(path, "re");
    if (!about || fscanf(about, "pos: %lu flags: %lo", position, flags) != 2)
        fail("%s cannot be read", path);
    fclose(about);
}

/* Finds out which name in which directory a path stands for, by the directory `descriptor`. */
static void find_place(struct place *place, pid_t thread, int descriptor, unsigned long address)
{
    char given[PATH_MAX], above[2 * PATH_MAX], real[PATH_MAX];
    memset(place, 0, sizeof *place);
    look_path(thread, given, address);
    if (given[0] == '/')
        snprintf(above, sizeof above, "%s", given);
    else if (descriptor == AT_FDCWD)
        snprintf(above, sizeof above, "/proc/%d/cwd/%s", thread, given);
    else
        snprintf(above, sizeof above, "/proc/%d/fd/%d/%s", thread, descriptor, given);
    size_t length = strlen(above);
    while (length > 1 && above[length - 1] == '/')
        above[--length] = 0;
    char *last = strrchr(above, '/');
    if (!given[0] || !last || strlen(last + 1) > NAME_MAX)
        return;
    strcpy(place->name, last + 1);
    last[last == above] = 0;
    struct stat directory;
    if (!realpath(above, real) || !is_inside(real) || stat(real, &directory))
        return;
    if (directory.st_dev != root_found.st_dev)
        fail("%s is on another file system", real);
    if (!strcmp(place->name, ".") || !strcmp(place->name, "..") || strchr(place->name, '\n'))
        fail("`%s` in %s is no name", place->name, real);
    if (snprintf(place->path, sizeof place->path, "%s/%s", real, place->name) >= PATH_MAX)
        fail("%s is too long", real);
    place->inside = 1;
    place->directory = directory.st_ino;
    place->exists = !lstat(place->path, &place->found);
}

static void print_bytes(const unsigned char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        fprintf(file, "%02x", bytes[i]);
    fputc('\n', file);
}

/* Whether a call could change, sync or print something that counts, so that it takes a turn. */
static int takes_turn(pid_t thread, const struct known *known,
                      const struct __ptrace_syscall_info *info)
{
    const uint64_t *argument = info->entry.args;
    struct stat found = {0};
    int inside = 0;
    if (known->descriptor >= 0)
        inside = find_open(thread, (int)argument[known->descriptor], &found);
    switch (known->deed) {
    case MAP: {
        unsigned long position, flags;
        if (!inside || (argument[3] & MAP_TYPE) == MAP_PRIVATE)
            return 0;
        find_position(thread, (int)argument[4], &position, &flags);
        if ((flags & O_ACCMODE) != O_RDONLY)
            fail("a file is written through memory");
        return 0;
    }
    case CONTROL:
        for (size_t i = 0; i < sizeof HARMLESS_CONTROLS / sizeof *HARMLESS_CONTROLS; i++)
            if (argument[1] == HARMLESS_CONTROLS[i])
                return 0;
        if (inside)
            fail("control %#llx is not understood", (unsigned long long)argument[1]);
        return 0;
    case WRITE:
        return inside ||
               (found.st_dev == output_found.st_dev && found.st_ino == output_found.st_ino);
    default:
        return known->path >= 0 || known->deed == END || known->deed == SYNC_ALL || inside;
    }
}

/* How a file is being opened. */
static unsigned long open_flags(const struct call *call)
{
    const uint64_t *argument = call->entry.entry.args;
    switch (call->known->number) {
    case SYS_open:
        return argument[1];
    case SYS_openat:
        return argument[2];
    case SYS_creat:
        return O_CREAT | O_WRONLY | O_TRUNC;
    default: {
        struct open_how how;
        look(call->thread, &how, argument[2], sizeof how);
        return how.flags;
    }
    }
}

/* Looks at what a call is about before it is made; whether it is worth its turn. */
static int prepare(struct call *call)
{
    const struct known *known = call->known;
    const uint64_t *argument = call->entry.entry.args;
    int descriptor = known->descriptor < 0 ? AT_FDCWD : (int)argument[known->descriptor];
    if (known->path < 0)
        return 1;
    find_place(&call->place, call->thread, descriptor, argument[known->path]);
    struct place *place = &call->place;
    switch (known->deed) {
    case OPEN:
        call->flags = open_flags(call);
        if (!(call->flags & (O_CREAT | O_TRUNC | O_SYNC | O_DSYNC)) || !place->inside)
            return (call->flags & O_TMPFILE) == O_TMPFILE;
        if (call->flags & (O_SYNC | O_DSYNC))
            fail("%s is opened to be synced with each write", place->path);
        if (place->exists && S_ISLNK(place->found.st_mode) && !(call->flags & O_NOFOLLOW))
            fail("%s is a link and opened to be written", place->path);
        /* What is no file may let us wait for somebody else. */
        return !place->exists || S_ISREG(place->found.st_mode);
    case RENAME: {
        int at = known->number == SYS_rename ? 1 : 3;
        descriptor = known->number == SYS_rename ? AT_FDCWD : (int)argument[2];
        find_place(&call->other, call->thread, descriptor, argument[at]);
        call->flags = known->number == SYS_renameat2 ? argument[4] : 0;
        return 1;
    }
    case UNLINK:
        call->flags = known->number == SYS_rmdir      ? AT_REMOVEDIR
                      : known->number == SYS_unlinkat ? argument[2]
                                                      : 0;
        return 1;
    case TRUNCATE:
    case CHMOD:
        if (place->inside && place->exists && S_ISLNK(place->found.st_mode))
            fail("%s is a link and changed", place->path);
        return 1;
    default:
        return 1;
    }
}

static void record_open(const struct call *call, long descriptor)
{
    const struct place *place = &call->place;
    struct stat found;
    int inside = find_open(call->thread, (int)descriptor, &found);
    if (inside && (call->flags & O_TMPFILE) == O_TMPFILE)
        fail("a file without a name is made");
    if (!place->inside)
        return;
    if (!inside)
        fail("%s was opened as something else", place->path);
    unsigned long inode = found.st_ino;
    if (!place->exists)
        line("create %lu %lu %o %s", place->directory, inode, found.st_mode & 07777, place->name);
    else if (call->flags & O_TRUNC)
        line("truncate %lu 0", inode);
}

static void record_print(const struct call *call, long length)
{
    const uint64_t *argument = call->entry.entry.args;
    unsigned char *bytes = malloc(length);
    struct iovec parts[1024] = {{(void *)argument[1], length}};
    size_t count = 1, done = 0;
    if (call->known->number == SYS_writev) {
        count = argument[2] < 1024 ? argument[2] : 1024;
        look(call->thread, parts, argument[1], count * sizeof *parts);
    } else if (call->known->number != SYS_write) {
        fail("system call %lu prints something", call->known->number);
    }
    for (size_t i = 0; i < count && done < (size_t)length; i++) {
        size_t left = length - done, size = parts[i].iov_len < left ? parts[i].iov_len : left;
        look(call->thread, bytes + done, (unsigned long)parts[i].iov_base, size);
        done += size;
    }
    fprintf(file, "print ");
    print_bytes(bytes, length);
    free(bytes);
}

/* What was written is read from the file: nobody else has had a turn since. */
static void record_write(const struct call *call, long length)
{
    const uint64_t *argument = call->entry.entry.args;
    int descriptor = (int)argument[call->known->descriptor];
    struct stat found;
    if (!find_open(call->thread, descriptor, &found)) {
        record_print(call, length);
        return;
    }
    unsigned long position, flags, offset;
    find_position(call->thread, descriptor, &position, &flags);
    if (call->known->number == SYS_pwrite64 || call->known->number == SYS_pwritev) {
        if (flags & O_APPEND)
            fail("a file is written at its end and elsewhere");
        offset = argument[3];
    } else if (call->known->number == SYS_copy_file_range && argument[3]) {
        look(call->thread, &offset, argument[3], sizeof offset);
        offset -= length;
    } else {
        offset = position - length;
    }
    char link[64];
    snprintf(link, sizeof link, "/proc/%d/fd/%d", call->thread, descriptor);
    int opened = open(link, O_RDONLY | O_CLOEXEC);
    unsigned char *bytes = malloc(length);
    if (opened < 0 || pread(opened, bytes, length, offset) != length)
        fail("what was written to %s cannot be read", link);
    close(opened);
    fprintf(file, "write %lu %lu ", found.st_ino, offset);
    print_bytes(bytes, length);
    free(bytes);
}

static void record_rename(const struct call *call)
{
    const struct place *from = &call->place, *to = &call->other;
    const char *word = call->flags & RENAME_EXCHANGE ? "exchange" : "rename";
    if (from->inside != to->inside)
        fail("`%s` is moved across the border", from->name);
    if (!from->inside)
        return;
    if (call->flags & ~(RENAME_EXCHANGE | RENAME_NOREPLACE))
        fail("`%s` is renamed in a way that is not understood", from->name);
    /* Two names of one file stay as they are. */
    if (to->exists && from->found.st_ino == to->found.st_ino)
        return;
    line("%s %lu %lu %s/%s", word, from->directory, to->directory, from->name, to->name);
}

/* Writes down what a call did. */
static void record(const struct call *call, long result)
{
    const struct known *known = call->known;
    const struct place *place = &call->place;
    const uint64_t *argument = call->entry.entry.args;
    struct stat found;
    int inside = known->path >= 0
                     ? place->inside && !lstat(place->path, &found)
                     : known->descriptor >= 0 &&
                           find_open(call->thread, (int)argument[known->descriptor], &found);
    switch (known->deed) {
    case OPEN:
        record_open(call, result);
        break;
    case WRITE:
        if (result > 0)
            record_write(call, result);
        break;
    case RENAME:
        record_rename(call);
        break;
    case UNLINK:
        if (place->inside)
            line("%s %lu %s", call->flags & AT_REMOVEDIR ? "rmdir" : "unlink", place->directory,
                 place->name);
        break;
    case MKDIR:
        if (inside)
            line("mkdir %lu %lu %o %s", place->directory, found.st_ino, found.st_mode & 07777,
                 place->name);
        break;
    case LINK:
        if (inside)
            line("link %lu %lu %s", place->directory, found.st_ino, place->name);
        break;
    case TRUNCATE:
        if (inside)
            line("truncate %lu %llu", found.st_ino, (unsigned long long)argument[1]);
        break;
    case CHMOD:
        if (inside)
            line("chmod %lu %o", found.st_ino, found.st_mode & 07777);
        break;
    case SYNC:
        line("%s %lu", known->number == SYS_fsync ? "fsync" : "fdatasync", found.st_ino);
        break;
    case SYNC_ALL:
        if (known->number == SYS_sync || inside)
            line("sync");
        break;
    default:
        break;
    }
}

/* Lets the next call be made, unless one is under way. */
static void go_on(void)
{
    while (!now && wait_count) {
        having = waiting[0];
        wait_count--;
        memmove(waiting, waiting + 1, wait_count * sizeof *waiting);
        if (prepare(&having))
            now = &having;
        ptrace(PTRACE_SYSCALL, having.thread, NULL, NULL);
    }
}

static void forget(pid_t thread)
{
    for (size_t i = 0; i < wait_count; i++)
        if (waiting[i].thread == thread) {
            wait_count--;
            memmove(waiting + i, waiting + i + 1, (wait_count - i) * sizeof *waiting);
            break;
        }
    if (now && now->thread == thread) {
        if (now->known->deed != END)
            fail("system call %lu was cut off", now->known->number);
        now = NULL;
    }
    go_on();
}

/* A thread is about to make a call or has made one; whether it may go on. */
static int on_call(pid_t thread)
{
    static unsigned long asked[MOST_CALLS][2];
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof info, &info) <= 0)
        return 1;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        const struct known *found = known(&info);
        if (found && found->deed == ASK_TYPE && told_type)
            for (size_t i = 0; i < MOST_CALLS; i++)
                if (!asked[i][0]) {
                    asked[i][0] = thread;
                    asked[i][1] = info.entry.args[1];
                    break;
                }
        if (!found || !takes_turn(thread, found, &info))
            return 1;
        if (wait_count == MOST_CALLS)
            fail("too many threads");
        waiting[wait_count++] = (struct call){.thread = thread, .known = found, .entry = info};
        go_on();
        return 0;
    }
    if (info.op != PTRACE_SYSCALL_INFO_EXIT)
        return 1;
    for (size_t i = 0; i < MOST_CALLS; i++)
        if (asked[i][0] == (unsigned long)thread) {
            /* The type comes first in the answer. */
            if (!info.exit.is_error)
                ptrace(PTRACE_POKEDATA, thread, (void *)asked[i][1], (void *)told_type);
            asked[i][0] = 0;
        }
    if (now && now->thread == thread) {
        if (!info.exit.is_error)
            record(now, info.exit.rval);
        now = NULL;
        ptrace(PTRACE_SYSCALL, thread, NULL, NULL);
        go_on();
        return 0;
    }
    return 1;
}

int main(int count, char **argument)
{
    if (count < 5) {
        fprintf(stderr, "usage: record ROOT TYPE LOG COMMAND...\n");
        return 125;
    }
    if (!realpath(argument[1], root) || stat(root, &root_found) ||
        fstat(STDOUT_FILENO, &output_found))
        fail("%s: %s", argument[1], strerror(errno));
    told_type = strtoul(argument[2], NULL, 16);
    file = fopen(argument[3], "we");
    leader = file ? start(argument + 4, -1) : -1;
    int status, code = 125;
    long follow = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                  PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (leader < 0 || waitpid(leader, &status, 0) != leader ||
        ptrace(PTRACE_SETOPTIONS, leader, NULL, (void *)follow))
        fail("%s", strerror(errno));
    ptrace(PTRACE_SYSCALL, leader, NULL, NULL);
    for (;;) {
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0)
            return fclose(file) ? 125 : code;
        if (!WIFSTOPPED(status)) {
            if (thread == leader)
                code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            forget(thread);
            continue;
        }
        long signal = WSTOPSIG(status);
        if (signal == (SIGTRAP | 0x80)) {
            if (!on_call(thread))
                continue;
            signal = 0;
        } else if (signal == SIGTRAP || signal == SIGSTOP) {
            /* News of the tracing itself, not for the command. */
            signal = 0;
        }
        ptrace(PTRACE_SYSCALL, thread, NULL, (void *)signal);
    }
}
