import type { SandboxInstrument } from '../market/instruments.ts'
import { uniformOf } from '../market/random.ts'

/** Tells whether an instrument has metrics by arrival time; for a few, the arrival times were not recorded. */
export const servesLocalTime = (seed: number, { venue, symbol }: SandboxInstrument) =>
  uniformOf(seed, 'arrival kept', venue.id, symbol) >= 0.03
