import { DailyMarket } from '../../../../electron/sandbox/market/daily.ts'
import { FALL_AFTER_WIDENING, FUNDING_RISE, HOURS_OF_FALL } from '../../../../electron/sandbox/market/plantedEffects.ts'
import { describe, expect, it } from 'vitest'
import { plantedFindings } from '../../../fakes/plantedFindings.ts'

describe('the effects that the sandbox plants', () => {
  it.each([1, 3])('are found in their intervals by the ready-made studies, with the seed %i', (seed) => {
    const { fundingHours, spreadWidening } = plantedFindings(seed)
    for (const { planted, low, high, p } of [...fundingHours, spreadWidening]) {
      expect(low).toBeLessThan(planted)
      expect(high).toBeGreaterThan(planted)
      expect(p).toBeLessThan(0.001)
    }
    expect(spreadWidening.planted).toBe(-FALL_AFTER_WIDENING)
    expect(fundingHours.map(({ planted }) => planted)).toEqual([FUNDING_RISE, -FUNDING_RISE])
    expect(HOURS_OF_FALL).toBe(6)
  })

  it('leave the majors, and the open and close of every day, as they were', () => {
    const market = new DailyMarket(1)
    for (let day = 20_500; day < 20_560; day++) {
      expect(market.wideHour('BTC', day)).toBe(-1)
      expect(market.hourPrice('GRT', day, 24)).toBe(market.dayClose('GRT', day))
      expect(market.hourPrice('GRT', day, 0)).toBe(market.dayOpen('GRT', day))
    }
  })
})
