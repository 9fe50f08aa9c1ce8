import { DailyMarket } from '../../../../electron/sandbox/market/daily.ts'
import { FALL_AFTER_WIDENING, FUNDING_RISE, HOURS_OF_FALL } from '../../../../electron/sandbox/market/plantedEffects.ts'
import { describe, expect, it } from 'vitest'
import { effectless, type PlantedFinding, readyFindings } from '../../../fakes/readyFindings.ts'

const SEEDS = 20
const findings = Array.from({ length: SEEDS }, (_, at) => readyFindings(at + 1))

describe('the ready-made studies on the markets of 20 seeds', () => {
  const planted: [string, number, (one: (typeof findings)[number]) => PlantedFinding][] = [
    ['rise before funding', FUNDING_RISE, ({ fundingHours }) => fundingHours[0]],
    ['fall at funding', -FUNDING_RISE, ({ fundingHours }) => fundingHours[1]],
    ['fall after a wide spread', -FALL_AFTER_WIDENING, ({ spreadWidening }) => spreadWidening],
  ]
  it.each(planted)('have the planted %s in their 95 %% interval in at least 18', (_, size, pick) => {
    const inside = findings.map(pick).filter(({ low, high }) => low <= size && size <= high)
    expect(inside.length).toBeGreaterThanOrEqual(18)
  })

  it.each(planted)('show the planted %s clearly with the seeds 1 and 3', (_, size, pick) => {
    for (const seed of [1, 3]) expect(pick(findings[seed - 1])).toMatchObject({ planted: size })
    for (const seed of [1, 3]) expect(pick(findings[seed - 1]).p).toBeLessThan(0.001)
    expect(HOURS_OF_FALL).toBe(6)
  })

  it.each(effectless)('find nothing by %s in at least 17, because nothing is planted there', (id) => {
    expect(findings.filter(({ significant }) => significant.includes(id)).length).toBeLessThanOrEqual(3)
  })
})

describe('the effects that the sandbox plants', () => {
  it('leave the majors, and the open and close of every day, as they were', () => {
    const market = new DailyMarket(1)
    for (let day = 20_500; day < 20_560; day++) {
      expect(market.wideHour('BTC', day)).toBe(-1)
      expect(market.hourPrice('GRT', day, 24)).toBe(market.dayClose('GRT', day))
      expect(market.hourPrice('GRT', day, 0)).toBe(market.dayOpen('GRT', day))
    }
  })
})
