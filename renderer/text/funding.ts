import { shortSymbol } from '#shared/catalog/symbols.ts'
import type { FundingBasis } from '#shared/funding/fundingPeriods.ts'

const bases: Readonly<Record<FundingBasis, string>> = {
  observed: 'observed in raw events',
  announced: 'from your instruments',
  inferred: 'inferred from when the rate changes',
  asked: 'typed by you',
}

/** Texts about funding periods. */
export const fundingText = {
  period: (every: string, basis: FundingBasis) => `Paid every ${every}: ${bases[basis]}`,
  unknown: 'The funding period is not known',
  entry: {
    label: 'Type a funding period',
    of: 'Funding of',
    every: 'Paid every',
    other: 'other',
    otherLabel: 'Other period',
    otherPlaceholder: 'such as 2h',
    symbol: (symbol: string, exchange: string) => `${shortSymbol(symbol)} on ${exchange}`,
    venue: (exchange: string) => `all symbols of ${exchange}`,
    save: 'Set',
    hint: 'Counts where neither raw events, nor your instruments, nor the rates themselves tell the period',
  },
} as const
