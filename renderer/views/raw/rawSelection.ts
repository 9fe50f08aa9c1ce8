import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import { parseInterval } from '#shared/time.ts'
import { changeQuery } from '../../widgets/addressQuery.ts'
import type { RawFileEntry } from '#shared/contract/areas/raw.ts'

const addressFields = [
  'exchange',
  'symbol',
  'dataset',
  'period',
  'until',
  'metric',
  'interval',
  'minutes',
  'timestamp',
  'at',
  'engine',
] as const
type RawAddress = Record<(typeof addressFields)[number], string>

function readRawAddress(query: LocationQuery): RawAddress {
  const text = (name: string) => (typeof query[name] === 'string' ? query[name] : '')
  return Object.fromEntries(addressFields.map((name) => [name, text(name)])) as RawAddress
}

/** Reads the selection from the address, and changes it by changing the address. */
export function useRawAddress() {
  const route = useRoute()
  const router = useRouter()
  const address = computed(() => readRawAddress(route.query))
  const change = (patch: Partial<RawAddress>) =>
    changeQuery(router, (query) => {
      const fields = Object.entries({ ...readRawAddress(query), ...patch })
      return Object.fromEntries(fields.filter(([, value]) => value !== ''))
    })
  return { address, change }
}

/**
 * Keeps the selected dataset and file in the address. If the address names a dataset or file that does not exist, or
 * none, the first one is selected.
 */
export function usePeriodChoice(
  files: () => readonly RawFileEntry[],
  { address, change }: ReturnType<typeof useRawAddress>,
): {
  datasets: ComputedRef<{ value: string; title: string }[]>
  periods: ComputedRef<{ value: string; title: string }[]>
  dataset: WritableComputedRef<string>
  period: WritableComputedRef<string>
  file: ComputedRef<RawFileEntry | undefined>
} {
  const asOption = (value: string) => ({ value, title: value })
  const datasets = computed(() => [...new Set(files().map((file) => file.dataset))].map(asOption))
  const dataset = computed({
    get: () =>
      datasets.value.some(({ value }) => value === address.value.dataset)
        ? address.value.dataset
        : (datasets.value.at(0)?.value ?? ''),
    set: (value) => change({ dataset: value, period: '', until: '', at: '' }),
  })
  const datasetFiles = computed(() => files().filter((file) => file.dataset === dataset.value))
  const file = computed(
    () => datasetFiles.value.find((each) => each.period === address.value.period) ?? datasetFiles.value.at(0),
  )
  return {
    datasets,
    periods: computed(() => datasetFiles.value.map((each) => asOption(each.period))),
    dataset,
    period: computed({
      get: () => file.value?.period ?? '',
      set: (value) => change({ period: value, until: '', at: '' }),
    }),
    file,
  }
}

/** Lengths of the range of trades over quotes, in minutes. */
export const tapeMinutes = ['1', '5', '15', '60', '240'] as const

/**
 * Reads the length of the range of trades over quotes from an address. Up to 0.2.0 it was in `interval`, which may also
 * be the interval that another tab has left there.
 */
export const minutesOf = ({ minutes, interval }: Pick<RawAddress, 'minutes' | 'interval'>): string =>
  [minutes, interval].find((each) => tapeMinutes.some((known) => known === each)) ?? '5'

/** Reads the interval of computed series from an address; `1m` if it has none, or a length that trades left there. */
export const intervalOf = ({ interval }: Pick<RawAddress, 'interval'>): string =>
  parseInterval(interval) === null ? '1m' : interval

/** Parses the instant in an address; null for anything else, such as the column that another tab has left there. */
export const instantInAddress = ({ at }: Pick<RawAddress, 'at'>): number | null => {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(at) ? Date.parse(at) : NaN
  return Number.isNaN(ms) ? null : ms
}

/** Parses a typed UTC instant; a time alone is taken to be on `day`. Null if the text is neither. */
export function instantOf(text: string, day: string): number | null {
  const fullText = /^\d{1,2}:\d{2}/.test(text)
    ? `${day}T${text.padStart(5, '0').replace(/^(\d):/, '0$1:')}`
    : text.replace(' ', 'T')
  const ms = Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$/.test(fullText) || fullText.length <= 10 ? fullText : `${fullText}Z`)
  return Number.isNaN(ms) ? null : ms
}
