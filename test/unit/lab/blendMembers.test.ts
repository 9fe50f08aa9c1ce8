import { expect, it } from 'vitest'
import { blendComponents, shapeComponents } from '#shared/lab/kinds/blend/blendWeights.ts'
import { parseDocument } from '#shared/lab/parseStudy.ts'
import type { BlendStudy } from '#shared/lab/kinds/blend/fields.ts'

it('counts members of the universe that no component knows as members without a value', () => {
  const written = {
    version: 1,
    kind: 'blend',
    start: '2024-02-01',
    end: '2024-03-31',
    components: [{ from: { file: 'a.csv' } }],
    members: { size: 20 },
  }
  const study = parseDocument(written, { fromCache: true }) as BlendStudy
  const days = Int32Array.of(19_781, 19_782)
  const { whole } = blendComponents(
    shapeComponents(
      study,
      {
        components: [{ days, tickers: ['BTC', 'ETH'], values: Float64Array.of(1, 2, 2, 1), isHistory: false }],
        universe: {
          days: Int32Array.of(19_780),
          tickers: ['BTC', 'ETH', 'SOL', 'XRP'],
          values: Float64Array.of(1, 1, 1, 0),
        },
        overlay: null,
        prices: { days, tickers: ['BTC', 'ETH'], values: Float64Array.of(1, 1, 2, 2) },
      },
      { first: 19_754, last: 19_813 },
    ),
  )
  expect(whole).toMatchObject({ memberDays: 6, noValue: 2 })
})
