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
  const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const price = of(['close', 'other', 'sma(close, 2)'])
  switch (of(['signal', 'signal', 'events', 'leadlag', 'seasonality'])) {
    case 'signal':
      return {
        kind: 'signal',
        signal: of(signals),
        price,
        delayBars: of([0, 1, 5]),
        horizons: of([[1], [1, 4, 24], [2, 50, 200]]),
        quantiles: of([2, 5, 20]),
        sampling: of(['all', 'nonOverlapping']),
      }
    case 'events':
      return {
        kind: 'events',
        when: of(['signal > 1', 'whole', 'cs_rank(signal) > 0.8', 'not (signal > 0)', 'other > 100']),
        price,
        delayBars: of([0, 1, 2]),
        edge: random() < 0.5,
        cooldownBars: of([0, 1, 10]),
        before: of([0, 5]),
        after: of([1, 10]),
        adjust: of(['none', 'market']),
      }
    case 'leadlag':
      return {
        kind: 'leadlag',
        value: of(['signal', 'whole', 'diff(log(close))', 'whole * 0']),
        maxLag: of([0, 2, 40]),
      }
    default:
      return {
        kind: 'seasonality',
        value: of(['signal', 'other', 'cs_rank(signal)', 'whole * 0 + 0.5']),
        by: of(['hour', 'weekday', 'dayOfMonth', 'minutesToFunding', 'hourWeekday']),
        center: random() < 0.5,
      }
  }
}

const names = ['B', 'a', 'ä', '😀', '\uffee', '"c,d"', 'x/y', 'Z', 'ZZ', 'A', 's 1', 'E']

/** Writes rows with gaps, texts for missing values, ties, duplicate rows, late listings and changing members. */
function oddPanel(random: Random): string {
  const of = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]
  const times = of([1, 2, 5, 12, 30, 60])
  const symbols = names.slice(0, of([1, 2, 3, 7, 12]))
  const [gap, missing, twice] = [of([0, 0.05, 0.3]), of([0, 0.05, 0.3]), of([0, 0.1])]
  const hasMembers = random() < 0.4
  const rows: { key: number; text: string }[] = []
  for (const symbol of symbols) {
    const firstTime = random() < 0.2 ? Math.floor(random() * times) : 0
    let close = 100
    for (let time = firstTime; time < times; time++) {
      close *= 1 + 0.04 * (random() - 0.5)
      const cell = (value: number) => (random() < missing ? of(['', 'NaN', 'null', '-inf']) : String(value))
      do {
        if (random() < gap) continue
        const price = random() < missing / 4 ? of([0, -3.5]) : close
        const cells = [START_MS + time * HOUR_MS, symbol, cell(price), cell(random() - 0.5), cell(5 + random())]
        const member = hasMembers ? [of(['true', 'True', '1', '0', 'false', ''])] : []
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
