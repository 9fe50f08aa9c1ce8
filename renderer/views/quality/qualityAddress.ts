import { computed } from 'vue'
import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { type FindingKind, findingKinds } from '#shared/quality/findings.ts'
import { changeQuery } from '../../widgets/addressQuery.ts'

export const qualityRanges = ['30', '90', '365', 'all'] as const
type QualityRange = (typeof qualityRanges)[number]
export const qualityStates = ['open', 'accepted', 'both'] as const
type QualityState = (typeof qualityStates)[number]

/** Selection of the page as stored in its address; empty text means nothing is selected. */
interface QualityAddress {
  view: 'heat' | 'table'
  range: QualityRange
  state: QualityState
  kinds: FindingKind[]
  dataset: string
  exchange: string
  symbol: string
  list: string
  day: string
}

function readQualityAddress(query: LocationQuery): QualityAddress {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  const range = qualityRanges.find((each) => each === text('range')) ?? '30'
  const wantedKinds = text('kind').split(',')
  return {
    view: text('view') === 'table' ? 'table' : 'heat',
    range,
    state: qualityStates.find((each) => each === text('state')) ?? 'open',
    kinds: findingKinds.filter((kind) => wantedKinds.includes(kind)),
    dataset: text('dataset'),
    exchange: text('exchange'),
    symbol: text('symbol'),
    list: text('list'),
    day: text('day'),
  }
}

function writeQualityAddress({ view, range, state, kinds, ...texts }: QualityAddress): Record<string, string> {
  const parameters = {
    ...texts,
    view: view === 'heat' ? '' : view,
    range: range === '30' ? '' : range,
    state: state === 'open' ? '' : state,
    kind: kinds.join(','),
  }
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''))
}

/** Reads the selection from the address, and changes it by changing the address. */
export function useQualityAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readQualityAddress(route.query))
  const change = (patch: Partial<QualityAddress>) =>
    changeQuery(router, (query) => writeQualityAddress({ ...readQualityAddress(query), ...patch }))
  return { address, change }
}
