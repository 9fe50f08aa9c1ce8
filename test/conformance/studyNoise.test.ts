import { describe, expect, it } from 'vitest'
import { horizonsOf, rowsOf, runOnRows as run } from '../fakes/panelWorld.ts'

describe('a study of noise', () => {
  it('calls 3.5 to 7 % of a thousand panels of noise significant', { timeout: 300_000 }, () => {
    let significant = 0
    for (let seed = 0; seed < 1000; seed++) {
      const noise = rowsOf({ seed: 1000 + seed, symbols: 20, times: 500, autocorrelation: 0.99 })
      const [{ rankIc }] = horizonsOf(run(noise, { horizons: [24] }))
      if ((rankIc.nonOverlapping.p ?? 1) <= 0.05) significant++
    }
    expect(significant).toBeGreaterThanOrEqual(35)
    expect(significant).toBeLessThanOrEqual(70)
  })
})
