import { parseStudy } from '#shared/lab/parseStudy.ts'
import { StudyError } from '#shared/lab/studyError.ts'
import { describe, expect, it } from 'vitest'

/** A document of each kind with nothing but what it needs. */
const documents = {
  series: { signal: 'a' },
  screen: {},
  schedule: { value: 'a' },
  costs: { spreadBps: 'a' },
  clocks: {
    ...{ start: '2026-01-01', end: '2026-01-02' },
    source: { exchanges: ['quay-swaps'], symbols: null, timestamp: 'true' },
  },
  spells: { when: 'a' },
}
type Kind = keyof typeof documents

const parse = (kind: Kind, fields: object) =>
  parseStudy(
    { version: 1, kind, interval: '1h', ...documents[kind], ...fields },
    { fromCache: kind === 'clocks' },
  ) as unknown as Record<string, unknown>

function refusal(kind: Kind, fields: object): StudyError {
  try {
    parse(kind, fields)
  } catch (error) {
    if (error instanceof StudyError) return error
    throw error
  }
  throw new Error(`${kind} takes ${JSON.stringify(fields)}`)
}

const horizonRefusals = [
  [],
  [2, 1],
  [1, 1],
  [0],
  [10_001],
  [1.5],
  1,
  null,
  Array.from({ length: 21 }, (_, at) => at + 1),
]
const wholeRefusals = (low: number, high: number) => [low - 1, high + 1, low + 0.5, String(low), true]
const entryFields = {
  price: { taken: ['close', 'a + 1'], refused: ['', null, 3] },
  delayBars: { taken: [0, 1000], refused: [...wholeRefusals(0, 1000), null] },
}

interface FieldCases {
  taken: readonly unknown[]
  refused: readonly unknown[]
}

/** Values at and beyond the limits of each field, as the page says them. */
const fields: Record<Kind, Record<string, FieldCases>> = {
  series: {
    ...entryFields,
    signal: { taken: ['lag(a)'], refused: [null, '', 1] },
    horizons: { taken: [[1], [1, 10_000]], refused: horizonRefusals },
    buckets: { taken: [2, 20], refused: [...wholeRefusals(2, 20), null] },
    bucketBy: { taken: ['trailing', 'expanding', 'inSample'], refused: ['all', null, 1] },
    window: { taken: [500, 1_000_000], refused: [...wholeRefusals(20, 1_000_000), null] },
    warmUp: { taken: [10, 2016], refused: [9, 2017, 10.5, null] },
    thresholds: {
      taken: [null, [-1], [0, 0.5]],
      refused: [[], [1, 1], [2, 1], ['1'], 1, Array.from({ length: 21 }, (_, at) => at)],
    },
    sampling: { taken: ['nonOverlapping', 'all'], refused: ['some', null] },
  },
  screen: {
    ...entryFields,
    columns: {
      taken: [null, ['a'], ['a - close']],
      refused: [[], 'a', [1], [''], Array.from({ length: 1001 }, (_, at) => `c${at}`)],
    },
    templates: {
      taken: [['x'], ['lag(x, 2) - x']],
      refused: [[], ['a'], 'x', null, ['x', 3], Array.from({ length: 51 }, (_, at) => `x + ${at}`)],
    },
    horizons: { taken: [[1], [3, 9]], refused: horizonRefusals },
    split: {
      taken: [{ share: 0.1 }, { share: 0.9 }, { day: '2026-02-28' }],
      refused: [
        { share: 0.09 },
        { share: 0.91 },
        { day: '2026-02-30' },
        {},
        { share: 0.5, day: '2026-02-28' },
        { part: 1 },
        0.5,
        null,
      ],
    },
    costBps: { taken: [0, 0.5, 1000], refused: [-1, 1000.5, '5', null] },
    shifts: { taken: [9, 999], refused: [...wholeRefusals(9, 999), null] },
  },
  schedule: {
    value: { taken: ['a * 2'], refused: [null, '', 7] },
    better: { taken: ['low', 'high'], refused: ['best', null] },
    by: { taken: ['hour', 'hourWeekday'], refused: ['weekday', null] },
    calibrateDays: { taken: [null, 7, 10_000], refused: wholeRefusals(7, 10_000) },
    statistic: { taken: ['median', 'mean'], refused: ['mode', null] },
    best: { taken: [1, 23], refused: [...wholeRefusals(1, 23), null] },
    minBars: { taken: [1, 100_000], refused: [...wholeRefusals(1, 100_000), null] },
    second: { taken: [null, 'b'], refused: ['', 1] },
  },
  costs: {
    spreadBps: { taken: ['a'], refused: [null, '', 1] },
    impact: { taken: [null, 'abs(b)'], refused: ['', 1] },
    notionals: {
      taken: [[1, 2], [0.5]],
      refused: [[], [0, 1], [2, 1], [1, 1], ['1'], null, Array.from({ length: 21 }, (_, at) => at + 1)],
    },
    reference: { taken: [1000, 250_000], refused: [999, '1000', null] },
    measured: { taken: [null, 'b'], refused: ['', 1] },
  },
  clocks: {
    columns: {
      taken: [null, ['flow.volume_delta']],
      refused: [[], 'flow.volume_delta', [1], Array.from({ length: 1001 }, (_, at) => `flow.c${at}`)],
    },
  },
  spells: {
    ...entryFields,
    when: { taken: ['a > 1'], refused: [null, '', 1] },
    fill: { taken: [0, 10_000], refused: [...wholeRefusals(0, 10_000), null] },
    minBars: { taken: [1, 100_000], refused: [...wholeRefusals(1, 100_000), null] },
    horizons: { taken: [[12], [1, 10_000]], refused: horizonRefusals },
    signal: { taken: [null, 'a'], refused: ['', 1] },
    sharpest: { taken: [0, 100], refused: [...wholeRefusals(0, 100), null] },
    sharpestHorizon: { taken: [12, 72, 288], refused: [1, 0, '12', null] },
  },
}

const cases = (Object.keys(fields) as Kind[]).flatMap((kind) =>
  Object.entries(fields[kind]).map(([field, values]) => ({ kind, field, ...values })),
)

describe('a field of a study along time', () => {
  it.each(cases)('$kind: $field takes what the page allows', ({ kind, field, taken }) => {
    // The horizon of the sharpest moves is one of the horizons, whose default follows them.
    for (const value of taken) expect(parse(kind, { [field]: value })[field]).toEqual(value)
  })

  it.each(cases)('$kind: $field refuses all else by its name', ({ kind, field, refused }) => {
    for (const value of refused) {
      const { field: named, message } = refusal(kind, { [field]: value })
      expect(named.split(/[.[]/)[0], `${JSON.stringify(value)}: ${message}`).toBe(field)
    }
  })

  it.each(Object.keys(documents) as Kind[])('of another kind is refused in %s by its name', (kind) => {
    for (const field of ['quantiles', 'edge', 'maxLag', 'center'])
      expect(refusal(kind, { [field]: 1 }).field).toBe(field)
    for (const [other, own] of Object.entries(fields))
      for (const field of Object.keys(own))
        if (!(field in fields[kind]) && other !== kind) expect(refusal(kind, { [field]: 1 }).field).toBe(field)
  })

  it.each(['series', 'schedule', 'costs', 'spells'] as const)('that %s needs is named if it is missing', (kind) => {
    const [needed] = Object.keys(documents[kind])
    expect(refusal(kind, { [needed]: undefined }).field).toBe(needed)
  })
})

it('warms a series up by 500 signals, or by the window if that is shorter', () => {
  expect(parse('series', {}).warmUp).toBe(500)
  expect(parse('series', { window: 100 }).warmUp).toBe(100)
  expect(parse('series', { window: 100, bucketBy: 'expanding' }).warmUp).toBe(500)
  expect(parse('series', { warmUp: 5000, bucketBy: 'expanding' }).warmUp).toBe(5000)
})
