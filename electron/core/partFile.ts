import { openSync, rmSync } from 'node:fs'

/** Path of the file that an output is written to until it is whole; its own for each process. */
export const partPathOf = (target: string): string => `${target}.${process.pid}.part`

/**
 * Opens a new part file. What is in its place is removed first, such as the part of a killed run: opening a named pipe
 * would wait forever, and a link would lead the output to another file.
 * @param mode permissions from which the user's umask is taken away
 */
export function openPart(target: string, mode = 0o666): { path: string; descriptor: number } {
  const path = partPathOf(target)
  rmSync(path, { force: true })
  return { path, descriptor: openSync(path, 'wx', mode) }
}
