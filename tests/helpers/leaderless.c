/* Ends its first thread at once, and the other one when its input ends. */
#include <pthread.h>
#include <unistd.h>

static void *wait_for_end(void *nothing) {
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
    return nothing;
}

int main(void) {
    pthread_t other;
    pthread_create(&other, 0, wait_for_end, 0);
    pthread_exit(0);
}
