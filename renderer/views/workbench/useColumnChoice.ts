import { computed, ref, type Ref, watch } from 'vue'
import type { ColumnSource } from '#shared/workspace/workspaceSchema.ts'
import { useDiscovery } from '../../stores/discovery.ts'
import { useOwnData } from '../../stores/ownData.ts'

/**
 * State of the choice of a dataset and one of its columns; if a dataset lacks the selected column, its first one is
 * selected. The interval becomes that of own rows.
 */
export function useColumnChoice(initialSource: Pick<ColumnSource, 'dataset' | 'column'>, interval: Ref<string>) {
  const discovery = useDiscovery()
  const own = useOwnData()
  void own.load()
  const datasets = computed(() => [...discovery.datasets, ...own.datasets])
  const dataset = ref(initialSource.dataset)
  // At once, so that a caller who sets both has its interval.
  watch(dataset, (now) => (interval.value = own.find(now)?.interval ?? interval.value), { flush: 'sync' })
  const wantedColumn = ref(initialSource.column)
  const datasetOptions = computed(() => datasets.value.map(({ id, name }) => ({ value: id, title: name })))
  const columnOptions = computed(
    () =>
      datasets.value
        .find(({ id }) => id === dataset.value)
        ?.columns.map(({ name, label }) => ({ value: name, title: label })) ?? [],
  )
  const column = computed({
    get: () =>
      columnOptions.value.some(({ value }) => value === wantedColumn.value)
        ? wantedColumn.value
        : (columnOptions.value.at(0)?.value ?? wantedColumn.value),
    set: (name: string) => (wantedColumn.value = name),
  })
  return { dataset, column, datasetOptions, columnOptions }
}
