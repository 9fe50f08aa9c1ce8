import { describe, expect, it } from 'vitest'
import { metricDatasets } from '#shared/catalog/metricDatasets.ts'
import { modelledSources, modelledTimeNote, withKindColumns } from '#shared/catalog/modelledTimes.ts'
import { rawColumns, rawDatasets } from '#shared/catalog/rawDatasets.ts'
import { venuesOfDocuments } from '#shared/catalog/venues.ts'

describe('modelled exchange times', () => {
  it('are those of the four raw datasets of the venue whose feed carries none', () => {
    const modelled = venuesOfDocuments.list.flatMap(({ id: exchange }) =>
      rawDatasets.flatMap(({ id }) =>
        modelledTimeNote({ dataset: id, exchange, timestamp: 'exchange', isRaw: true }, venuesOfDocuments) === null
          ? []
          : [[id, exchange]],
      ),
    )
    const valueDatasets = ['mark_price', 'index_price', 'funding_rate', 'open_interest']
    expect(modelled).toEqual(valueDatasets.map((id) => [id, 'venuec-perps']))
    for (const [id, exchange] of modelled) {
      const names = rawColumns(id as 'mark_price', exchange === 'venuec-perps').map(({ name }) => name)
      expect(names[1]).toBe('exchange_timestamp_kind')
    }
  })

  it('reach the metrics that are computed from them, by the exchange clock alone', () => {
    const sourcesByDataset = (timestamp: string) =>
      Object.fromEntries(
        metricDatasets.flatMap(({ id }) => {
          const sources = modelledSources({ dataset: id, exchange: 'venuec-perps', timestamp }, venuesOfDocuments)
          return sources.length > 0 ? [[id, sources]] : []
        }),
      )
    expect(sourcesByDataset('true')).toEqual({})
    expect(sourcesByDataset('exchange')).toEqual({
      basis: ['mark_price', 'index_price'],
      funding: ['funding_rate'],
      open_interest: ['open_interest', 'mark_price'],
    })
    const note = modelledTimeNote(
      { dataset: 'basis', exchange: 'venuec-perps', timestamp: 'exchange' },
      venuesOfDocuments,
    )
    expect(note).toMatch(/^exchange times of mark_price and index_price are modelled on venuec-perps/)
    expect(
      modelledTimeNote({ dataset: 'basis', exchange: 'venuea-futures', timestamp: 'exchange' }, venuesOfDocuments),
    ).toBeNull()
  })
})

it('a column of times that was asked for brings the column of its kind along, where files have it', () => {
  const inFiles = (name: string) => name.endsWith('_kind')
  expect(withKindColumns(['exchange_timestamp', 'mark_price', 'local_timestamp'], inFiles)).toEqual([
    ...['exchange_timestamp', 'exchange_timestamp_kind'],
    ...['mark_price', 'local_timestamp', 'local_timestamp_kind'],
  ])
  expect(withKindColumns(['exchange_timestamp'], () => false)).toEqual(['exchange_timestamp'])
})
