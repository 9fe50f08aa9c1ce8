import { statfsSync } from 'node:fs'

const MOST_TEMP_BYTES = 20 * 2 ** 30
const MOST_OF_FREE = 0.5

/** Finds what DuckDB may write to a folder while it sorts or groups more than fits into memory: never all that is free. */
export function tempSpace(folder: string, mostBytes = MOST_TEMP_BYTES): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return Math.min(mostBytes, bavail * bsize * MOST_OF_FREE)
  } catch {
    // Some network drives do not say what is free.
    return mostBytes
  }
}
