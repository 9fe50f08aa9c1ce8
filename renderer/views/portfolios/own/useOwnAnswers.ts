import { computed, onScopeDispose, watch } from 'vue'
import type { OwnReturnsAnswer } from '#shared/contract/areas/returns.ts'
import { useConnections } from '../../../stores/connections.ts'
import { useHost } from '../../../stores/host.ts'
import { createResource, type Outcome, outcomeOf } from '../../../stores/resource.ts'
import type { AnswerState } from '../usePortfolioAnswer.ts'

interface OwnOutcome extends Outcome<OwnReturnsAnswer> {
  id: string
}

/** Loads the user's own files, and reloads them when one changes. */
export function useOwnAnswers(ids: () => readonly string[]) {
  const host = useHost()
  const connections = useConnections()
  const outcomes = createResource((wanted: { ids: readonly string[]; refresh: boolean }, signal) =>
    Promise.all(
      wanted.ids.map(async (id): Promise<OwnOutcome> => {
        const call = host.call('returns.read', { id, refresh: wanted.refresh }, { signal })
        return { id, ...(await outcomeOf(call)) }
      }),
    ),
  )
  const load = (refresh = false) => {
    if (ids().length === 0) outcomes.forget()
    else void outcomes.load({ ids: ids(), refresh })
  }
  watch(
    () => [connections.active?.id, ...ids()].join('\n'),
    () => load(),
    { immediate: true },
  )
  onScopeDispose(host.on('returns.changed', () => load()))
  host.onReturn(() => load())
  const list = computed(() => (outcomes.value.value ?? []).filter(({ id }) => ids().includes(id)))
  return { list, isLoading: outcomes.isLoading, load }
}

/** Presents one file as an answer. Refreshing the answer of a file of weights requests newer prices. */
export function ownAnswerState(own: ReturnType<typeof useOwnAnswers>, id: () => string | null): AnswerState {
  const outcome = computed(() => own.list.value.find((each) => each.id === id()) ?? null)
  return {
    request: computed(() => null),
    freshness: computed(() => outcome.value?.answer?.shown?.freshness ?? null),
    error: computed(() => outcome.value?.error ?? null),
    isLoading: own.isLoading,
    isEarlier: computed(() => false),
    isLocal: computed(() => outcome.value?.answer?.shown?.kind !== 'weights'),
    refresh: () => own.load(true),
  }
}
