import { describe, expect, it } from 'vitest'
import { catalogVenues, coveredVenues, venueContradictions } from '#shared/catalog/catalogVenues.ts'
import { combineVenues } from '#shared/catalog/venues.ts'

const coverage = {
  trades: { 'gamma-perps': { BTC: {} }, 'alpha-futures': { BTC: {} } },
  mark_price: { 'beta-perps': { BTC: {} } },
}
const descriptor = (exchanges: string[], columns: string[]) => ({
  exchanges,
  columns: columns.map((name) => ({ name })),
})

describe('the venues of a catalog', () => {
  it('come in the order in which it first names them, also those that only its coverage names', () => {
    expect(coveredVenues(coverage)).toEqual(['gamma-perps', 'alpha-futures', 'beta-perps'])
    const datasets = [descriptor(['beta-perps'], ['price'])]
    const ids = catalogVenues({ datasets, summary: [{ exchange: 'delta-perps' }] }, coveredVenues(coverage)).map(
      ({ id }) => id,
    )
    expect(ids).toEqual(['beta-perps', 'delta-perps', 'gamma-perps', 'alpha-futures'])
  })

  it('have modelled times where a descriptor of theirs lists exchange_timestamp_kind', () => {
    const datasets = [
      descriptor(['alpha-futures'], ['price']),
      descriptor(['gamma-perps'], ['price', 'exchange_timestamp_kind']),
    ]
    expect(catalogVenues({ datasets }, []).map(({ exchangeTimes }) => exchangeTimes)).toEqual([null, 'modelled'])
  })

  it('are none in a damaged catalog', () => {
    expect(catalogVenues({ datasets: 'x', summary: [null, 1] }, coveredVenues([1]))).toEqual([])
  })
})

it('a cached file with exchange_timestamp_kind says it of any venue, also of one that no catalog names', () => {
  const { list } = combineVenues({
    typed: [{ id: 'alpha-futures', short: null, sizes: null, exchangeTimes: null }],
    catalog: [],
    seen: ['beta-perps'],
    modelledInFiles: ['alpha-futures', 'beta-perps', 'gamma-perps'],
  })
  expect(list.map(({ id, exchangeTimes, basis }) => [id, exchangeTimes, basis.id, basis.exchangeTimes])).toEqual([
    ['alpha-futures', 'modelled', 'typed', 'catalog'],
    ['beta-perps', 'modelled', 'seen', 'catalog'],
  ])
})

it('no token of the documents stands for the venues of a catalog that was not read yet', () => {
  expect(combineVenues({ typed: [], catalog: [], seen: [], isCatalogUnread: true }).list).toEqual([])
})

it('what was typed stands against the catalog, which is told', () => {
  const typed = [
    { id: 'alpha-futures', short: null, sizes: null, exchangeTimes: 'measured' as const },
    { id: 'delta-perps', short: null, sizes: null, exchangeTimes: null },
  ]
  const catalog = catalogVenues({ datasets: [descriptor(['alpha-futures'], ['exchange_timestamp_kind'])] }, [])
  expect(venueContradictions(typed, { catalog })).toEqual([
    'the catalog says that the times of alpha-futures are modelled; measured was typed and stands',
    'it does not name the venue delta-perps, which was typed and stays',
  ])
  expect(venueContradictions(typed, { catalog: [], modelledInFiles: ['alpha-futures'] })).toEqual([
    'its files say that the times of alpha-futures are modelled; measured was typed and stands',
  ])
  expect(venueContradictions(typed, { catalog: [] })).toEqual([])
})
