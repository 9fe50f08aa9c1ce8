import type { Instrument } from '../market/instruments.ts'
import { uniformOf } from '../market/random.ts'

/** A few instruments have metrics by exchange time only: nobody kept when their events arrived. */
export const servesLocalTime = (seed: number, { venue, symbol }: Instrument) =>
  uniformOf(seed, 'arrival kept', venue, symbol) >= 0.03
