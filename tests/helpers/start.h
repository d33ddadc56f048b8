/* A program that waits to be traced, in a process group of its own. */

#include <signal.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Its standard input is this file, or ours if there is none. */
static pid_t start(char **command, int input)
{
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        if (input >= 0)
            dup2(input, STDIN_FILENO);
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(command[0], command);
        _exit(127);
    }
    return child;
}
