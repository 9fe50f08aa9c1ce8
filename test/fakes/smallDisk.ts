/**
 * Returns the start of a command that mounts a disk of `size` only for the started program; it needs no rights, but the
 * kernel must allow it.
 */
export const smallDisk = (dir: string, size: string) => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `mount -t tmpfs -o size=${size} none '${dir}' && exec "$@"`,
  'sh',
]
