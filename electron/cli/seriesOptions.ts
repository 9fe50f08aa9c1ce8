import { listOption, topOptions } from './symbolLists.ts'
import { timestampSources } from '#shared/catalog/intervals.ts'

/** Returns the options that choose series by their names; each command passes its own descriptions of them. */
export const seriesOptions = (text: { dataset: string; exchange: string; symbol: string; interval: string }) =>
  ({
    dataset: { type: 'list', value: 'D[,D]', description: text.dataset },
    exchange: { type: 'list', value: 'V[,V]', description: text.exchange },
    symbol: { type: 'list', value: 'S[,S]', symbols: 'cached', description: text.symbol },
    list: listOption,
    ...topOptions,
    interval: { type: 'list', value: 'I[,I]', description: text.interval },
  }) as const

/** Returns the options that choose days, both included. */
export const dayRangeOptions = (text: { start: string; end: string }) =>
  ({
    start: { type: 'text', value: 'DATE', description: text.start },
    end: { type: 'text', value: 'DATE', description: text.end },
  }) as const

/** Returns the option for the clock of a series; it is required because the two clocks yield different rows. */
export const clockOption = (description: string) =>
  ({ type: 'text', value: 'T', required: true, fromConnection: true, values: timestampSources, description }) as const

/** Returns the option for the clock of a series that may be one of an own dataset, whose rows have no clock. */
export const ownClockOption = (description: string) =>
  ({ type: 'text', value: 'T', fromConnection: true, values: timestampSources, description }) as const

/** Returns the option for the port of a server; 0 selects any free one. */
export const portOption = (description: string) =>
  ({ type: 'integer', value: 'N', min: 0, max: 65_535, description }) as const
