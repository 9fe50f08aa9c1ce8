import type { Instrument } from '../market/instruments.ts'
import { uniformOf } from '../market/random.ts'

/** A few instruments have metrics by exchange time only: their arrival times were not recorded. */
export const servesLocalTime = (seed: number, { venue, symbol }: Instrument) =>
  uniformOf(seed, 'arrival kept', venue, symbol) >= 0.03
