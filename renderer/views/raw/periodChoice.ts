import { computed, type ComputedRef, type WritableComputedRef } from 'vue'
import type { RawFileEntry } from '#shared/contract/areas/raw.ts'
import type { useRawAddress } from './useRawAddress.ts'

/** The dataset and file that are chosen; the first ones where the address names none that is here. */
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
  const option = (value: string) => ({ value, title: value })
  const datasets = computed(() => [...new Set(files().map((file) => file.dataset))].map(option))
  const dataset = computed({
    get: () =>
      datasets.value.some(({ value }) => value === address.value.dataset)
        ? address.value.dataset
        : (datasets.value.at(0)?.value ?? ''),
    set: (value) => change({ dataset: value, period: '', until: '', at: '' }),
  })
  const ofDataset = computed(() => files().filter((file) => file.dataset === dataset.value))
  const file = computed(
    () => ofDataset.value.find((each) => each.period === address.value.period) ?? ofDataset.value.at(0),
  )
  return {
    datasets,
    periods: computed(() => ofDataset.value.map((each) => option(each.period))),
    dataset,
    period: computed({
      get: () => file.value?.period ?? '',
      set: (value) => change({ period: value, until: '', at: '' }),
    }),
    file,
  }
}
