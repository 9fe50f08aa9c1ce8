import { describe, expect, it } from 'vitest'
import { checkMetricPart } from '#core/compute/metricPart.ts'
import { partColumns, writePart } from '../../fakes/computedParts.ts'
import { temporaryFolder } from '../../fakes/temporaryFolder.ts'

const STEP_MS = 15_000

describe('a part that another engine computed', () => {
  it('is refused for its gaps, not for its order, if nearly every second interval is missing', () => {
    const times = Array.from({ length: 200_001 }, (_, row) => Date.UTC(2026, 0) + row * 2 * STEP_MS)
    const path = writePart(temporaryFolder(), 'part.parquet', partColumns(times))
    const check = () => checkMetricPart({ path, dataset: 'vtwap', stepMs: STEP_MS })
    expect(check).toThrow('its times have 200000 gaps or more')
  })
})
