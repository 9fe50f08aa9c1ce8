import { onScopeDispose, watch } from 'vue'
import { AppError, toAppError } from '#shared/contract/errors.ts'
import { netReturns } from '#shared/lab/portfolio/compareReturns.ts'
import type { DailySeries } from '#shared/portfolio/dailySeries.ts'
import { useHost } from '../../../stores/host.ts'
import { createResource } from '../../../stores/resource.ts'
import { testedText as text } from '../../../text/portfolios.ts'

/** Net returns of a tested portfolio's last run, or why there are none. */
interface TestedOutcome {
  id: string
  name: string
  series: DailySeries | null
  error: AppError | null
}

/** Loads the last results of tested portfolios of the Lab, and reloads them when a study runs or changes. */
export function useTestedAnswers(ids: () => readonly string[]) {
  const host = useHost()
  async function read(id: string, signal: AbortSignal): Promise<TestedOutcome> {
    let name = id
    try {
      name = (await host.call('documents.read', { kind: 'study', id }, { signal })).name
      const result = (await host.call('lab.answer', { id }, { signal }))?.result
      if (result?.kind !== 'portfolio' && result?.kind !== 'blend') throw new AppError('not-found', text.noResult(name))
      return { id, name: text.label(name), series: netReturns(result), error: null }
    } catch (thrown) {
      return { id, name, series: null, error: toAppError(thrown) }
    }
  }
  const outcomes = createResource((wanted: readonly string[], signal) =>
    Promise.all(wanted.map((id) => read(id, signal))),
  )
  const load = () => {
    if (ids().length === 0) outcomes.forget()
    else void outcomes.load(ids())
  }
  watch(() => ids().join('\n'), load, { immediate: true })
  onScopeDispose(
    host.on('documents.changed', ({ kind }) => {
      if (kind === 'study') load()
    }),
  )
  host.onReturn(load)
  return { find: (id: string) => outcomes.value.value?.find((each) => each.id === id) ?? null, all: outcomes.value }
}
