/** Kind of a file system entry, as `stat` of Node reports it. */
interface FileKindFacts {
  isFile(): boolean
  isDirectory(): boolean
  isFIFO(): boolean
  isSocket(): boolean
}

/** Returns the kind of an entry that is not a regular file, such as `a folder`; null for a regular file. */
export function specialKind(facts: FileKindFacts): string | null {
  if (facts.isFile()) return null
  if (facts.isDirectory()) return 'a folder'
  if (facts.isFIFO()) return 'a named pipe'
  return facts.isSocket() ? 'a socket' : 'a device'
}

/** Builds the message for an entry that is not a regular file; null for a regular file. */
export function notFileText(path: string, facts: FileKindFacts): string | null {
  const kind = specialKind(facts)
  return kind && `${path} is ${kind}, not a file.`
}

/** Builds the message for a path that cannot be opened, by the system's error code. */
export function unopenedText(path: string, code: string): string {
  if (code === 'ENOENT') return `There is no file ${path}.`
  if (code === 'ENOTDIR') return `There is no file ${path}: part of its path is a file.`
  if (code === 'ELOOP') return `${path} is a link that leads back to itself.`
  // Sockets cannot be opened, and neither can devices without their hardware.
  if (code === 'ENXIO' || code === 'ENODEV' || code === 'EOPNOTSUPP')
    return `${path} is a socket or a device, not a file.`
  if (code === 'EISDIR') return `${path} is a folder, not a file.`
  return `${path} ${unreadText(code)}`
}

/** Tells whether a system error code means that permissions are missing. */
export const isDenied = (code: string): boolean => code === 'EACCES' || code === 'EPERM'

/** Tells whether an error code of the system or of SQLite means that the disk, or the user's share of it, is full. */
export const isDiskFull = (code: string): boolean => ['ENOSPC', 'EDQUOT', 'SQLITE_FULL'].includes(code)

/** Returns the message to append to the path of a file that cannot be read, by the system's error code. */
export const unreadText = (code: string): string =>
  isDenied(code) ? 'cannot be read: its permissions do not allow that.' : `cannot be read (${code}).`

/** Returns the message to append to the path of a file that cannot be written, by the system's error code. */
export function unwrittenText(code: string): string {
  if (isDenied(code)) return 'cannot be written: the permissions of its folder do not allow that.'
  if (code === 'EROFS') return 'cannot be written: its disk is read-only.'
  return isDiskFull(code) ? 'cannot be written: its disk is full.' : `cannot be written (${code}).`
}

/** Returns the code of a system error, such as `ENOENT`; `unknown cause` if it has none. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown cause'
