import { expect, it } from 'vitest'
import type { StudyResult } from '#shared/lab/runStudy.ts'
import { thinResult } from '#shared/lab/thinResult.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at)

it('averages the coefficients of a long study and keeps the end of its paths', () => {
  const times = numbers(12_000)
  const series = { times, n: times.map(() => 4), rank: times.map((at) => (at % 2 ? 1 : null)), pearson: times }
  const path = { times, quantiles: [times], spread: times }
  const long = { kind: 'signal', horizons: [{ horizon: 1, series, path }] } as unknown as StudyResult
  const { result, thinnedBy } = thinResult(long)
  if (result.kind !== 'signal') return expect.unreachable()
  expect(thinnedBy).toBe(2)
  const [thin] = result.horizons
  expect(thin.series.times.slice(0, 3)).toEqual([0, 2, 4])
  expect(thin.series.rank.slice(0, 3)).toEqual([1, 1, 1])
  expect(thin.series.pearson.slice(0, 2)).toEqual([0.5, 2.5])
  expect(thin.path.spread.at(-1)).toBe(11_999)
  expect(thin.path.times).toHaveLength(6000)
})

it('leaves a short study as it is, and keeps the lags of the strongest pairs of a large scan', () => {
  const pair = (r: number) => ({ a: 'A', b: 'B', lags: numbers(25), best: { lag: 0, r, q: null } })
  const scan = { kind: 'leadlag', pairs: numbers(2000).map((at) => pair(at / 2000)) } as unknown as StudyResult
  const { result, thinnedBy } = thinResult(scan)
  if (result.kind !== 'leadlag') return expect.unreachable()
  expect(thinnedBy).toBe(1)
  expect(result.pairs[0].lags).toEqual([])
  expect(result.pairs.at(-1)?.lags).toHaveLength(25)
  const short = { kind: 'leadlag', pairs: [pair(0.5)] } as unknown as StudyResult
  expect(thinResult(short).result).toEqual(short)
})
