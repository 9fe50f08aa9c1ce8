import { column, type MetricColumn, never, needsEvents, zeroWithoutEvents } from '../column.ts'

const signedTraits = { large: 'far from 0' } as const
const noCounterpart = (other: string) => `Null in an interval without mark updates or without an earlier ${other}`
const indexTraits = { nullRule: noCounterpart('index price') } as const
const tradeTraits = { nullRule: noCounterpart('trade') } as const
const overChanges = 'over the mark updates at which it changed'

export const basisColumns: MetricColumn[] = [
  column('basis', 'Basis', 'price', 'price', 'Last mark price minus the index price at that time', {
    ...signedTraits,
    ...indexTraits,
  }),
  column('basis_bps', 'Basis', 'bps', 'bps', 'Basis in basis points of the index price', {
    ...indexTraits,
    resample: { how: 'last' },
  }),
  column(
    'mark_price_spread',
    'Mark spread',
    'price',
    'price',
    'Last mark price minus the last trade price at that time',
    {
      ...signedTraits,
      ...tradeTraits,
    },
  ),
  column('mark_price_spread_bps', 'Mark spread', 'bps', 'bps', 'Mark spread in basis points of the last trade price', {
    ...tradeTraits,
    resample: { how: 'last' },
  }),
  column('basis_mean', 'Mean basis', 'price', 'price', `Mean basis ${overChanges}`, {
    ...signedTraits,
    ...indexTraits,
    resample: needsEvents,
  }),
  column('basis_bps_std', 'Basis std', 'bps', 'bps', `Sample standard deviation of basis_bps ${overChanges}`, {
    nullRule: 'Null with fewer than 2 such updates',
    large: 'high',
  }),
  column('mark_price_spread_mean', 'Mean mark spread', 'price', 'price', `Mean mark spread ${overChanges}`, {
    ...signedTraits,
    ...tradeTraits,
    resample: needsEvents,
  }),
  column(
    'mark_price_spread_bps_std',
    'Mark spread std',
    'bps',
    'bps',
    `Sample standard deviation of mark_price_spread_bps ${overChanges}`,
    { nullRule: 'Null with fewer than 2 such updates', large: 'high' },
  ),
]

const dependsOnLength = never('Depends on the length of the interval')

export const fundingColumns: MetricColumn[] = [
  column('funding_rate', 'Funding rate', 'rate', 'none', 'Last funding rate, as the venue publishes it', {
    ...signedTraits,
    resample: { how: 'last' },
  }),
  column(
    'funding_rate_update_frequency',
    'Funding updates per second',
    'rate',
    '1/s',
    'Number of funding rate updates over the seconds of the interval; a row is an update if it differs from the row before it on that UTC day',
    { nullRule: zeroWithoutEvents, resample: { how: 'rate' } },
  ),
  column(
    'funding_rate_avg_update_interval',
    'Seconds between funding updates',
    'duration',
    's',
    'Seconds of the interval over the number of funding rate updates',
    { nullRule: 'Null without an update in the interval', resample: dependsOnLength },
  ),
]

export const openInterestColumns: MetricColumn[] = [
  column('open_interest', 'Open interest', 'volume', 'amount', 'Last open interest', {
    nullRule: 'Null in an interval without events',
    resample: { how: 'last' },
  }),
  column(
    'open_interest_pct_change',
    'Open interest change',
    'percent',
    '%',
    'Last minus first open interest of the interval, over the first, times 100',
    { nullRule: 'Null in an interval without events or where the first value is 0' },
  ),
  column(
    'open_interest_volatility',
    'Open interest volatility',
    'percent',
    '%',
    'Sample standard deviation of the percentage changes between consecutive changed values',
    { nullRule: 'Null with fewer than 2 such changes', large: 'high' },
  ),
  column(
    'oi_price_change_ratio',
    'Open interest per mark change',
    'ratio',
    'none',
    'Open interest change over the percentage change from first to last mark price of the interval',
    { nullRule: 'Null without mark updates in the interval or where the mark did not change', large: 'far from 0' },
  ),
]
