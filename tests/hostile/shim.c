/* Counts the calls that change files below one folder or two, and at the chosen one kills the process or lets the call fail.
 *
 * Loaded by LD_PRELOAD. hostile_arm(prefixes, at, error, lasting) starts the count anew:
 *   prefixes  one or two folders, with a line end between them
 *   at      the number of the call, from 1; 0 only counts
 *   error   0: the process ends before the call, as by SIGKILL; otherwise the errno the call fails with
 *   lasting 1: every later call that would need space fails too, as on a full disk
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char prefix[2][PATH_MAX];
static long at, count;
static int failing, lasting, armed;

void hostile_arm(const char *where, long when, int error, int for_good) {
    const char *end = strchr(where, '\n');
    snprintf(prefix[0], PATH_MAX, "%.*s", end ? (int)(end - where) : PATH_MAX - 1, where);
    snprintf(prefix[1], PATH_MAX, "%s", end ? end + 1 : "");
    at = when; failing = error; lasting = for_good; count = 0; armed = 1;
}
long hostile_count(void) { return count; }
void hostile_disarm(void) { armed = 0; }

static int below(const char *path) {
    for (int i = 0; i < 2; i++)
        if (prefix[i][0] && strncmp(path, prefix[i], strlen(prefix[i])) == 0) return 1;
    return 0;
}

static int concerns(int folder, const char *path) {
    char whole[2 * PATH_MAX], base[PATH_MAX], link[64];
    ssize_t n;
    if (!armed || path == NULL) return 0;
    if (path[0] == '/') return below(path);
    snprintf(link, sizeof link, folder == AT_FDCWD ? "/proc/self/cwd" : "/proc/self/fd/%d", folder);
    n = readlink(link, base, sizeof base - 1);
    if (n < 0) return 0;
    base[n] = 0;
    snprintf(whole, sizeof whole, "%s/%s", base, path);
    return below(whole);
}

static int concerns_fd(int fd) {
    char base[PATH_MAX], link[64];
    ssize_t n;
    if (!armed) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, base, sizeof base - 1);
    if (n < 0) return 0;
    base[n] = 0;
    return below(base);
}

enum { SPACE = 1, WAITS = 2 };  /* a call that takes space, one that a signal may interrupt */

/* Returns 1 where the call must fail. */
static int reached(int kind) {
    int takes_space = kind & SPACE;
    long now = __sync_add_and_fetch(&count, 1);
    if (at == 0 || now < at) return 0;
    if (now > at && !(lasting && takes_space)) return 0;
    if (failing == 0) { syscall(SYS_exit_group, 137); }
    if (failing == ENOSPC && !takes_space) return 0;
    if (failing == EINTR && !(kind & WAITS)) return 0;
    errno = failing;
    return 1;
}

#define REAL(name, type, ...) \
    static type (*real)(__VA_ARGS__) = NULL; \
    if (real == NULL) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

#define OPENING (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)

#define OPEN(name) \
int name(const char *path, int flags, ...) { \
    mode_t mode = 0; va_list rest; \
    REAL(name, int, const char *, int, ...); \
    va_start(rest, flags); if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t); va_end(rest); \
    if ((flags & OPENING) && concerns(AT_FDCWD, path) && reached(WAITS | (flags & O_CREAT ? SPACE : 0))) return -1; \
    return real(path, flags, mode); }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
int name(int folder, const char *path, int flags, ...) { \
    mode_t mode = 0; va_list rest; \
    REAL(name, int, int, const char *, int, ...); \
    va_start(rest, flags); if (flags & (O_CREAT | O_TMPFILE)) mode = va_arg(rest, mode_t); va_end(rest); \
    if ((flags & OPENING) && concerns(folder, path) && reached(WAITS | (flags & O_CREAT ? SPACE : 0))) return -1; \
    return real(folder, path, flags, mode); }
OPENAT(openat)
OPENAT(openat64)

FILE *fopen64(const char *path, const char *how) {
    REAL(fopen64, FILE *, const char *, const char *);
    if (how[0] != 'r' && concerns(AT_FDCWD, path) && reached(SPACE)) return NULL;
    return real(path, how);
}

ssize_t write(int fd, const void *data, size_t n) {
    REAL(write, ssize_t, int, const void *, size_t);
    if (concerns_fd(fd) && reached(SPACE | WAITS)) return -1;
    return real(fd, data, n);
}
ssize_t writev(int fd, const struct iovec *parts, int n) {
    REAL(writev, ssize_t, int, const struct iovec *, int);
    if (concerns_fd(fd) && reached(SPACE | WAITS)) return -1;
    return real(fd, parts, n);
}
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t where) {
    REAL(pwrite64, ssize_t, int, const void *, size_t, off64_t);
    if (concerns_fd(fd) && reached(SPACE | WAITS)) return -1;
    return real(fd, data, n, where);
}
ssize_t copy_file_range(int from, off64_t *a, int to, off64_t *b, size_t n, unsigned flags) {
    REAL(copy_file_range, ssize_t, int, off64_t *, int, off64_t *, size_t, unsigned);
    if (concerns_fd(to) && reached(SPACE | WAITS)) return -1;
    return real(from, a, to, b, n, flags);
}
ssize_t sendfile64(int to, int from, off64_t *where, size_t n) {
    REAL(sendfile64, ssize_t, int, int, off64_t *, size_t);
    if (concerns_fd(to) && reached(SPACE | WAITS)) return -1;
    return real(to, from, where, n);
}

#define FD(name, space) \
int name(int fd) { REAL(name, int, int); if (concerns_fd(fd) && reached(space)) return -1; return real(fd); }
FD(fsync, WAITS)
FD(fdatasync, WAITS)

int ftruncate64(int fd, off64_t n) {
    REAL(ftruncate64, int, int, off64_t);
    if (concerns_fd(fd) && reached(SPACE | WAITS)) return -1;
    return real(fd, n);
}
int fchmod(int fd, mode_t mode) {
    REAL(fchmod, int, int, mode_t);
    if (concerns_fd(fd) && reached(0)) return -1;
    return real(fd, mode);
}

#define PATH(name, space) \
int name(const char *path) { REAL(name, int, const char *); \
    if (concerns(AT_FDCWD, path) && reached(space)) return -1; return real(path); }
PATH(unlink, 0)
PATH(rmdir, 0)

#define PATHMODE(name, space) \
int name(const char *path, mode_t mode) { REAL(name, int, const char *, mode_t); \
    if (concerns(AT_FDCWD, path) && reached(space)) return -1; return real(path, mode); }
PATHMODE(mkdir, 1)
PATHMODE(chmod, 0)

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(mkdirat, int, int, const char *, mode_t);
    if (concerns(folder, path) && reached(1)) return -1;
    return real(folder, path, mode);
}
int unlinkat(int folder, const char *path, int flags) {
    REAL(unlinkat, int, int, const char *, int);
    if (concerns(folder, path) && reached(0)) return -1;
    return real(folder, path, flags);
}
int fchmodat(int folder, const char *path, mode_t mode, int flags) {
    REAL(fchmodat, int, int, const char *, mode_t, int);
    if (concerns(folder, path) && reached(0)) return -1;
    return real(folder, path, mode, flags);
}

#define TWO(name, space) \
int name(const char *one, const char *other) { REAL(name, int, const char *, const char *); \
    if ((concerns(AT_FDCWD, one) || concerns(AT_FDCWD, other)) && reached(space)) return -1; return real(one, other); }
TWO(rename, 0)
TWO(link, 1)
TWO(symlink, 1)

int renameat(int a, const char *one, int b, const char *other) {
    REAL(renameat, int, int, const char *, int, const char *);
    if ((concerns(a, one) || concerns(b, other)) && reached(0)) return -1;
    return real(a, one, b, other);
}
int renameat2(int a, const char *one, int b, const char *other, unsigned flags) {
    REAL(renameat2, int, int, const char *, int, const char *, unsigned);
    if ((concerns(a, one) || concerns(b, other)) && reached(0)) return -1;
    return real(a, one, b, other, flags);
}
int linkat(int a, const char *one, int b, const char *other, int flags) {
    REAL(linkat, int, int, const char *, int, const char *, int);
    if ((concerns(a, one) || concerns(b, other)) && reached(1)) return -1;
    return real(a, one, b, other, flags);
}
