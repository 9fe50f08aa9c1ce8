import type { WatchRow } from '#shared/contract/areas/watch.ts'
import { seriesColumns } from './seriesColumns.ts'
import { column, type ReadColumn } from './sheet.ts'

const heat = { scale: 'diverging', leastReach: 0.01 } as const

/** Columns of the watched symbols, with one for each formula. */
export const watchColumns = (formulas: readonly { name: string; formula: string }[]): ReadColumn<WatchRow>[] => [
  seriesColumns.symbol,
  seriesColumns.exchange,
  column('last', 'Last', 'price', ({ last }) => last, { widthPx: 104, hint: 'Last close in the cache' }),
  column('change', 'Change 24 h', 'percentFigure', ({ change }) => change, {
    heat,
    hint: 'Last close compared with the one 24 hours earlier',
  }),
  column('funding_annualised', 'Funding p.a.', 'percentFigure', (row) => row.funding_annualised, {
    heat,
    hint: 'Last rate · 365 days over the period that it refers to, which is that of its time; hover a number to see the period and where it is known from',
  }),
  column('funding_every', 'Every', 'text', (row) => row.funding_every),
  column('funding_basis', 'Known from', 'text', (row) => row.funding_basis),
  column('open_interest_change', 'OI change 24 h', 'percentFigure', (row) => row.open_interest_change, {
    heat,
    hint: 'Open interest compared with 24 hours earlier',
  }),
  column('volume_z', 'Volume z', 'figure', (row) => row.volume_z, {
    heat: { scale: 'diverging', leastReach: 2 },
    hint: 'Volume of the last whole UTC day compared with the 30 days before, in sample standard deviations',
  }),
  ...formulas.map(({ name, formula }, at) =>
    column<WatchRow>(`formula ${at}`, name, 'statistic', ({ values }) => values[at], { hint: formula, isName: true }),
  ),
  column('coverage', 'Cached 30 d', 'percentFigure', ({ coverage }) => coverage, {
    look: 'bar',
    widthPx: 104,
    hint: 'Share of the last 30 whole days whose candles are cached',
  }),
  column('quality', 'Findings', 'count', ({ quality }) => quality, {
    look: 'badge',
    widthPx: 92,
    tone: (value) => (typeof value === 'number' && value > 0 ? 'warning' : 'neutral'),
    hint: 'Open data-quality findings in the last 30 days',
  }),
  column('lastAt', 'As of', 'time', ({ lastAt }) => lastAt, { hint: 'Time of the last close' }),
]
