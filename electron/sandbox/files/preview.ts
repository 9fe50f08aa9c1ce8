import { MS_PER_DAY } from '#shared/time.ts'
import type { SandboxVenue, VenueKind } from '../market/venues.ts'

const symbols: Record<VenueKind, string> = {
  'venuea-futures': 'perpetual-BTC-USDT:USDT',
  'venueb-perps': 'perpetual-BTC-USDT:USDT',
  'venuec-perps': 'perpetual-BTC-USD:USDC',
}

/** Returns the symbol of a venue that anyone may look at. */
export const previewSymbol = ({ kind }: SandboxVenue): string => symbols[kind]

/** Returns the month (`YYYY-MM`) that anyone may look at: that of the last published day of raw events. */
export const previewMonth = (rawUntilMs: number): string => new Date(rawUntilMs - MS_PER_DAY).toISOString().slice(0, 7)
