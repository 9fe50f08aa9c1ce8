import { defineStore } from 'pinia'
import { computed, shallowRef } from 'vue'
import type { KnownDataset } from '#shared/catalog/knownDatasets.ts'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { EVENTS_COLUMN, ownColumnLabel, SINCE_COLUMN } from '#shared/formula/ownData.ts'
import { inFormWords, ownDataText as text } from '../text/ownData.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'

export type OwnDatasetFacts = CallOutput<'data.list'>[number]

/** Datasets of the user's own files, loaded when a screen first needs them. */
export const useOwnData = defineStore('ownData', () => {
  const host = useHost()
  const toasts = useToasts()
  const list = shallowRef<readonly OwnDatasetFacts[]>([])
  let loading: Promise<void> | null = null

  const read = inOrder(
    () => host.call('data.list', {}),
    (found) => (list.value = found),
  )
  const reload = async () => void (await read().catch(toasts.problem))

  /** The datasets as pickers list them. */
  const datasets = computed(() =>
    list.value.map(({ name, dataset, kind, columns }): KnownDataset => ({
      id: dataset,
      name: text.datasetName(name),
      category: text.category,
      description: '',
      minTier: null,
      events: null,
      isListed: true,
      serviceTexts: null,
      columns: [
        ...columns.map((column) => ({
          ...undocumented,
          name: column.name,
          label: ownColumnLabel(dataset, column.name)!,
        })),
        ...(kind === 'events'
          ? [EVENTS_COLUMN, SINCE_COLUMN].map((column) => ({
              ...undocumented,
              name: column,
              label: ownColumnLabel(dataset, column)!,
            }))
          : []),
      ],
    })),
  )

  /** What formulas name: columns, and datasets of events, which `events` and `since` take. */
  const formulaNames = computed(() =>
    list.value.flatMap(({ dataset, kind, columns }) => [
      ...columns.map(({ name }) => `${dataset}.${name}`),
      ...(kind === 'events' ? [dataset] : []),
    ]),
  )

  return {
    list,
    datasets,
    formulaNames,
    find: (dataset: string) => list.value.find((each) => each.dataset === dataset),
    load(): Promise<void> {
      if (!loading) {
        host.on('data.changed', () => void reload())
        host.onReturn(reload)
      }
      return (loading ??= reload())
    },
    async preview(input: CallInput<'data.preview'>, signal: AbortSignal) {
      const answer = await host.call('data.preview', input, { signal }).catch(refusedInFormWords)
      const { problem, notes } = answer
      return { ...answer, problem: problem && inFormWords(problem), notes: notes.map(inFormWords) }
    },
    add: (input: CallInput<'data.add'>, onProgress: (progress: Progress) => void) =>
      host.call('data.add', input, { onProgress }).catch(refusedInFormWords),
    refresh: (name: string) => host.call('data.refresh', { name }).catch(refusedInFormWords),
    remove: (name: string) => host.call('data.remove', { name }),
  }
})

function refusedInFormWords(thrown: unknown): never {
  const error = toAppError(thrown)
  throw error.detail === null ? error : AppError.fromShape({ ...error.toShape(), detail: inFormWords(error.detail) })
}

const undocumented = { formula: '', meaning: null, serviceTexts: null } as const
