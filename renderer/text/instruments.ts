import { plural } from '#shared/units/plurals.ts'

export const instrumentsText = {
  hint: 'You enter contract sizes, tick sizes, funding periods and renames yourself: no service provides them. Amounts in contracts need the contract size before they can be compared with amounts in base assets; with it, inquote(x, price) converts them to quote currency in any formula.',
  columns:
    'CSV with the columns exchange and symbol, and any of valid_from, contract_size, quote, tick, funding_every, funding_offset, funding_rate_per, native, listed, delisted, renamed_from; or JSON with an array of objects with the same keys. Several rows of a symbol hold each from its valid_from to the next one.',
  title: 'Instruments',
  choose: 'Import a file …',
  file: 'CSV or JSON of instruments',
  warnings: 'Notes on the imported file',
  offer:
    'inquote(x, price) converts base assets and contracts to quote currency, with the contract size of each time from Settings → Instruments',
  none: 'No instruments yet',
  imported: (count: number) => `Imported ${plural(count, 'row')}`,
  /** Funding periods that the user typed. */
  funding: {
    title: 'Typed funding periods',
    hint: 'A typed period counts where neither raw events, nor the instruments above, nor the cached rates tell how often funding is paid. That of a symbol wins over that of its venue.',
    allSymbols: 'all symbols',
    form: 'Type a funding period',
    exchange: 'Venue',
    symbol: 'Symbol',
    every: 'Every',
    example: '8h',
    set: 'Set period',
    remove: 'Remove',
    removeOf: (name: string) => `Remove the period of ${name}`,
  },
  /** Lots, least orders and multipliers that plans go by. */
  rules: {
    title: 'Orders of a plan',
    hint: 'What a plan of trades goes by for a symbol, as your positions name it. A line of a file of lots or aliases that you give to a plan wins over it; the least notional counts beside that of the plan.',
    form: 'Type what plans go by for a symbol',
    fields: {
      symbol: 'Symbol',
      ticker: 'Ticker',
      multiplier: 'Multiplier',
      lot: 'Lot',
      minUnits: 'Least units',
      minOrder: 'Least notional',
    },
    examples: { symbol: 'kBONK', ticker: 'BONK', multiplier: '1000', lot: '1', minUnits: '', minOrder: '10' },
    set: 'Set rule',
    actions: 'Actions',
    notAbove0: (field: string) => `${field} must be a number above 0.`,
    change: 'Change',
    changeOf: (symbol: string) => `Change what is typed for ${symbol}`,
    remove: 'Remove',
    removeOf: (symbol: string) => `Remove what is typed for ${symbol}`,
  },
} as const
