import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { InboxEntry, ListedCheck } from '#shared/contract/areas/inbox.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { inboxText } from '../text/inbox.ts'
import { useHost } from './host.ts'
import { useToasts } from './toasts.ts'
import { inOrder } from './resource.ts'

/** Checks with their last results, and the inbox with their hits. */
export const useInbox = defineStore('inbox', () => {
  const host = useHost()
  const toasts = useToasts()
  const checks = shallowRef<ListedCheck[]>([])
  const entries = shallowRef<InboxEntry[]>([])
  const alarmProblem = ref<string | null>(null)
  const isRunning = ref(false)
  const isLoaded = ref(false)
  let loading: Promise<unknown> | null = null
  let openEntries: () => unknown = () => undefined

  const isUnread = ({ readAt, snoozedUntil }: InboxEntry) => readAt === null && (snoozedUntil ?? 0) <= Date.now()
  const unread = computed(() => entries.value.filter(isUnread))

  function show(inbox: CallOutput<'inbox.list'>): void {
    const newestId = entries.value.at(0)?.id ?? 0
    checks.value = inbox.checks
    entries.value = inbox.entries
    alarmProblem.value = inbox.alarmProblem
    const newEntry = inbox.entries.filter((each) => each.id > newestId && isUnread(each)).at(0)
    if (isLoaded.value && newEntry)
      toasts.show({
        kind: 'note',
        message: inboxText.added(newEntry.check),
        action: { label: inboxText.open, run: () => openEntries() },
      })
    isLoaded.value = true
  }
  const reload = inOrder(() => host.call('inbox.list', {}), show)

  /**
   * Loads the inbox once and follows it.
   * @param open opens the inbox; the message about a new entry has a button for this
   */
  function load(open?: () => unknown): Promise<unknown> {
    if (open) openEntries = open
    if (!loading) {
      host.on('inbox.changed', () => void reload().catch(toasts.problem))
      host.on('documents.changed', ({ kind }) => {
        if (kind === 'check') void reload().catch(toasts.problem)
      })
      host.onReturn(() => void reload().catch(toasts.problem))
    }
    return (loading ??= reload().catch((thrown: unknown) => {
      loading = null
      throw thrown
    }))
  }

  async function run(): Promise<void> {
    isRunning.value = true
    try {
      await host.call('inbox.run', {})
      await reload()
    } finally {
      isRunning.value = false
    }
  }

  return {
    checks,
    entries,
    alarmProblem,
    unread,
    isRunning,
    isLoaded,
    load,
    run,
    markRead: (ids: readonly number[]) => host.call('inbox.read', { ids: [...ids] }),
    snooze: (id: number) => host.call('inbox.snooze', { id, untilMs: Date.now() + MS_PER_DAY }),
    saveCheck: (check: CallInput<'inbox.saveCheck'>) => host.call('inbox.saveCheck', check),
    removeCheck: (name: string) => host.call('inbox.removeCheck', { name }),
  }
})
