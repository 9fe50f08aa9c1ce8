import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

/** Ports for which no system asks by itself: below those that are given out for outgoing connections. */
const FIRST_PORT = 20_000
const PORTS = 10_000

/**
 * Returns the port on which a data folder is served unless another is asked for. It is the same at every start, because
 * a browser keeps changes that could not be saved by address, and another for each folder, so that these never mix.
 */
export function steadyPort(dataDir: string): number {
  const hash = createHash('sha256').update(resolve(dataDir)).digest()
  return FIRST_PORT + (hash.readUInt32BE(0) % PORTS)
}
