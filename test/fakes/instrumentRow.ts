import type { Instrument } from '#shared/contract/areas/instruments.ts'

/** Row of an instruments file in which all other cells are empty. */
export const instrumentRow = (cells: Pick<Instrument, 'exchange' | 'symbol'> & Partial<Instrument>): Instrument => ({
  ...{ valid_from: null, contract_size: null, quote: null, tick: null, funding_every: null, funding_offset: null },
  ...{ funding_rate_per: null, native: null, listed: null, delisted: null, renamed_from: null },
  ...cells,
})
