import { defineStore } from 'pinia'
import { ref, shallowRef } from 'vue'
import type { CallInput } from '#shared/contract/calls.ts'
import type { FamilyEntries, LedgerOverview, Score } from '#shared/contract/areas/ledger.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import { useFiles } from './files.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'

/** Trial ledger: its families, and the entries of the open one. */
export const useLedger = defineStore('ledger', () => {
  const host = useHost()
  const files = useFiles()
  const toasts = useToasts()
  const overview = shallowRef<LedgerOverview | null>(null)
  const family = ref('')
  const entries = shallowRef<FamilyEntries | null>(null)
  /** Scores on later days by the hash of their entry; null until they are known. */
  const scores = shallowRef<ReadonlyMap<string, Score> | null>(null)
  const error = shallowRef<AppError | null>(null)
  let isStarted = false
  let controller = new AbortController()

  async function load(): Promise<void> {
    controller.abort()
    controller = new AbortController()
    const { signal } = controller
    try {
      const newOverview = await host.call('ledger.overview', {}, { signal })
      const familyEntries = family.value ? await host.call('ledger.family', { family: family.value }, { signal }) : null
      if (signal.aborted) return
      overview.value = newOverview
      entries.value = familyEntries
      error.value = null
      const { scores: all } = await host.call('ledger.score', { sequence: null }, { signal })
      if (!signal.aborted) scores.value = new Map(all.map((score) => [score.hash, score]))
    } catch (thrown) {
      if (!signal.aborted) error.value = toAppError(thrown)
    }
  }

  /** Loads the ledger with a family, if one is named, and follows its changes. */
  function start(id: string): Promise<void> {
    if (!isStarted) {
      isStarted = true
      host.on('ledger.changed', () => void load())
      host.onReturn(load)
    }
    return open(id)
  }

  function open(id: string): Promise<void> {
    family.value = id
    entries.value = null
    return load()
  }

  return {
    overview,
    family,
    entries,
    scores,
    error,
    start,
    open,
    curve: (hash: string) => host.call('ledger.curve', { hash }),
    calibration: (signal: AbortSignal) => host.call('ledger.calibration', {}, { signal }),
    register: (registration: CallInput<'ledger.register'>) => host.call('ledger.register', registration),
    reset: async (reason: string) => (await host.call('ledger.reset', { reason })).sequence,
    verify: () => host.call('ledger.verify', {}),
    /** Lets the user choose the ledger of another machine and adds its entries to this one. */
    merge: (onMerged: (merged: { entries: number; added: number }) => void) =>
      files.pickFor('ledger', async (file) => {
        try {
          onMerged(await host.call('ledger.merge', { file }))
        } catch (thrown) {
          toasts.problem(thrown)
        }
      }),
  }
})
