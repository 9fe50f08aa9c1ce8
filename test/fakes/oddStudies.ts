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
function oddPanel(random: Random): string {
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const times = pick([1, 2, 5, 12, 30, 60])
  const symbols = names.slice(0, pick([1, 2, 3, 7, 12]))
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
  const csv = oddPanel(random)
  return { id: `odd-${seed}`, document: { version: 1, interval: '1h', ...oddDocument(random) }, csv }
}
