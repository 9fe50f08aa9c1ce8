import { HOUR_MS, randomOf, START_MS } from './panelWorld.ts'

/** Study on a panel that contains anything a panel may contain. */
export interface OddStudy {
  id: string
  document: Record<string, unknown>
  /** Text of the panel as CSV. */
  csv: string
}

type Random = () => number

const signals = [
  'signal',
  'cs_rank(signal)',
  'sma(signal, 5, 2)',
  'cs_zscore(other)',
  'cs_neutral(signal, other)',
  'cs_winsor(signal, 0.2)',
  'cs_demean(log(close))',
  'sma(cs_rank(signal), 2)',
  'whole * 0',
  'signal > 0 and other > 5',
  'cumsum(signal)',
  'rank(signal, 5, 2)',
  'close / lag(close) - 1',
]

/** Draws fields of every kind, with values at the limits of what is allowed. */
function oddDocument(random: Random): Record<string, unknown> {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const price = pick(['close', 'other', 'sma(close, 2)'])
  switch (pick(['signal', 'signal', 'events', 'leadlag', 'seasonality'])) {
    case 'signal':
      return {
        kind: 'signal',
        signal: pick(signals),
        price,
        delayBars: pick([0, 1, 5]),
        horizons: pick([[1], [1, 4, 24], [2, 50, 200]]),
        quantiles: pick([2, 5, 20]),
        sampling: pick(['all', 'nonOverlapping']),
      }
    case 'events':
      return {
        kind: 'events',
        when: pick(['signal > 1', 'whole', 'cs_rank(signal) > 0.8', 'not (signal > 0)', 'other > 100']),
        price,
        delayBars: pick([0, 1, 2]),
        edge: random() < 0.5,
        cooldownBars: pick([0, 1, 10]),
        before: pick([0, 5]),
        after: pick([1, 10]),
        adjust: pick(['none', 'market']),
      }
    case 'leadlag':
      return {
        kind: 'leadlag',
        value: pick(['signal', 'whole', 'diff(log(close))', 'whole * 0']),
        maxLag: pick([0, 2, 40]),
      }
    default:
      return {
        kind: 'seasonality',
        value: pick(['signal', 'other', 'cs_rank(signal)', 'whole * 0 + 0.5']),
        by: pick(['hour', 'weekday', 'dayOfMonth', 'minutesToFunding', 'hourWeekday']),
        center: random() < 0.5,
      }
  }
}

const names = ['B', 'a', 'ä', '😀', '\uffee', '"c,d"', 'x/y', 'Z', 'ZZ', 'A', 's 1', 'E']

/** Writes rows with gaps, texts for missing values, ties, duplicate rows, late listings and changing members. */
function oddPanel(
  random: Random,
  { bars, symbolCounts }: { bars: readonly number[]; symbolCounts: readonly number[] },
) {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const times = pick(bars)
  const symbols = names.slice(0, pick(symbolCounts))
  const [gap, missing, twice] = [pick([0, 0.05, 0.3]), pick([0, 0.05, 0.3]), pick([0, 0.1])]
  const hasMembers = random() < 0.4
  const rows: { key: number; text: string }[] = []
  for (const symbol of symbols) {
    const firstTime = random() < 0.2 ? Math.floor(random() * times) : 0
    let close = 100
    for (let time = firstTime; time < times; time++) {
      close *= 1 + 0.04 * (random() - 0.5)
      const cell = (value: number) => (random() < missing ? pick(['', 'NaN', 'null', '-inf']) : String(value))
      do {
        if (random() < gap) continue
        const price = random() < missing / 4 ? pick([0, -3.5]) : close
        const cells = [START_MS + time * HOUR_MS, symbol, cell(price), cell(random() - 0.5), cell(5 + random())]
        const member = hasMembers ? [pick(['true', 'True', '1', '0', 'false', ''])] : []
        rows.push({ key: random(), text: [...cells, cell(Math.floor(4 * random())), ...member].join(',') })
      } while (random() < twice)
    }
  }
  const header = ['time', 'symbol', 'close', 'signal', 'other', 'whole', ...(hasMembers ? ['member'] : [])].join(',')
  const first = `${START_MS},A,100,0.1,5,1${hasMembers ? ',1' : ''}`
  return [header, first, ...rows.sort((a, b) => a.key - b.key).map(({ text }) => text), ''].join('\n')
}

/** Creates an odd study from a seed; equal seeds give equal studies. */
export function oddStudy(seed: number): OddStudy {
  const random = randomOf(seed)
  const csv = oddPanel(random, { bars: [1, 2, 5, 12, 30, 60], symbolCounts: [1, 2, 3, 7, 12] })
  return { id: `odd-${seed}`, document: { version: 1, interval: '1h', ...oddDocument(random) }, csv }
}

const alongKinds = ['series', 'screen', 'screen', 'schedule', 'costs', 'spells'] as const

/** Draws fields of a study along time. */
function oddAlongDocument(random: Random): Record<string, unknown> {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const signal = pick(['signal', 'whole', 'sma(signal, 5, 2)', 'whole * 0', 'cumsum(signal)', 'lag(other, 2)'])
  const entry = { price: pick(['close', 'other']), delayBars: pick([0, 1, 5]) }
  const kind = pick(alongKinds)
  switch (kind) {
    case 'series':
      return {
        ...{ kind, signal, ...entry, horizons: pick([[1], [1, 4, 24], [2, 50]]), buckets: pick([2, 3, 10]) },
        ...{ bucketBy: pick(['trailing', 'expanding', 'inSample']), window: pick([20, 100]), warmUp: pick([10, 20]) },
        ...{ thresholds: pick([null, [-0.2, 0, 2]]), sampling: pick(['all', 'nonOverlapping']) },
      }
    case 'screen':
      return {
        ...{ kind, ...entry, columns: pick([null, ['signal'], ['whole', 'signal', 'other - signal']]) },
        ...{ templates: pick([['x'], ['x', 'lag(x, 2)'], ['-x']]), horizons: pick([[1], [1, 3]]) },
        ...{ split: pick([{ share: 0.5 }, { share: 0.62 }, { day: '2026-01-09' }]), costBps: pick([0, 5]) },
        shifts: pick([9, 19]),
      }
    case 'schedule':
      return {
        ...{ kind, value: pick(['other', 'whole', 'signal', 'whole * 0']), better: pick(['low', 'high']) },
        ...{ by: pick(['hour', 'hourWeekday']), calibrateDays: pick([null, 7]), statistic: pick(['median', 'mean']) },
        ...{ best: pick([1, 4, 23]), minBars: pick([1, 3, 20]), second: pick([null, 'signal', 'whole']) },
      }
    case 'costs':
      return {
        ...{ kind, spreadBps: pick(['other', 'whole', 'signal']), impact: pick([null, 'whole / 1000000', 'signal']) },
        ...pick([{}, { notionals: [500], reference: 500 }, { notionals: [1, 1000, 1e9], reference: 1e9 }]),
        measured: pick([null, 'signal', 'whole']),
      }
    default: {
      const horizons = pick([[1], [2, 12], [30]])
      return {
        ...{ kind, ...entry, when: pick(['whole > 1', 'signal > 0', 'whole', 'sma(signal, 5, 2) > 0.1']), horizons },
        ...{ fill: pick([0, 1, 4]), minBars: pick([1, 2, 6]), signal: pick([null, 'signal', 'lag(whole)']) },
        ...{ sharpest: pick([0, 3, 10]), sharpestHorizon: pick(horizons) },
      }
    }
  }
}

/** Creates an odd study along time from a seed, on a panel that is long enough for most of its figures. */
export function oddAlongStudy(seed: number): OddStudy {
  const random = randomOf(seed)
  const csv = oddPanel(random, { bars: [250, 300, 420], symbolCounts: [1, 2, 3] })
  return { id: `odd-along-${seed}`, document: { version: 1, interval: '1h', ...oddAlongDocument(random) }, csv }
}
