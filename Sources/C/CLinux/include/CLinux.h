// Linux calls that the Glibc module of Swift does not expose. Only `Net` imports this module.
#pragma once
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

/// accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC. Returns the descriptor or -1 with errno set.
int clinux_accept_nonblocking(int listener, struct sockaddr *address, socklen_t *length);

/// Pins the calling thread to one processor. Returns 0 or an errno value.
int clinux_pin_thread_to_cpu(int cpu);

/// Names the calling thread (at most 15 bytes are kept). Returns 0 or an errno value.
int clinux_name_thread(const char *name);

/// Asks the fair scheduler for turns of so many nanoseconds for the calling thread: shorter ones come sooner. Linux before
/// 6.12 takes no notice; neither do real-time threads. Returns 0, or -1 with errno set.
int clinux_set_thread_slice(uint64_t nanoseconds);

/// How many processors this process may run on (at least 1), after its affinity mask.
int clinux_usable_cpu_count(void);

/// Bytes in a stream socket's send queue that the peer has not acknowledged, or -1 with errno set.
int clinux_unacknowledged_bytes(int socket);

/// Blocks the given signals in the calling thread and those it starts later. Returns 0 or an errno value.
int clinux_block_signals(const int *signals, int count);

/// A non-blocking signalfd(2) for the given signals, or -1 with errno set.
int clinux_signalfd(const int *signals, int count);
