import { describe, expect, it } from 'vitest'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { documentedVenue, documentedVenues as venues } from '../../../electron/sandbox/market/venues.ts'
import type { MetricFileRecipe } from '../../../electron/sandbox/files/fileRecipe.ts'
import { servedFileSchema } from '../../../electron/sandbox/files/metricColumns.ts'

describe('the sandbox’s metric files', () => {
  const cases = metricDatasets.flatMap(({ id }) => venues.map((venue) => ({ id, venue })))

  it.each(cases)(
    'keep `time` as a timestamp of milliseconds without a time zone: $id on $venue.id',
    ({ id, venue }) => {
      const [time] = servedFileSchema({ venue, faults: {} } as MetricFileRecipe, id)
      expect(time).toEqual({
        name: 'time',
        type: 'INT64',
        repetition_type: 'REQUIRED',
        logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MILLIS' },
      })
    },
  )

  it('keep it in another form where a fault asks for one', () => {
    const [time] = servedFileSchema(
      { venue: documentedVenue('venuea-futures'), faults: { time: 'ns' } } as MetricFileRecipe,
      'flow',
    )
    expect(time).toMatchObject({ logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'NANOS' } })
  })
})
