import { defineStore } from 'pinia'
import { computed, watch } from 'vue'
import type { CallOutput } from '#shared/contract/calls.ts'
import type { FirstStep } from '#shared/contract/areas/settings.ts'
import { useConnections } from './connections.ts'
import { useDownloads } from './downloads.ts'
import { useHost } from './host.ts'
import { useSettings } from './settings.ts'

/** Days of a removed sample; null if it had no files. */
type SampleDays = CallOutput<'sample.remove'>['days']

/** Tracks the getting-started steps, which are ticked off as the user takes them, and the sample data. */
export const useFirstSteps = defineStore('firstSteps', () => {
  const host = useHost()
  const settings = useSettings()
  const connections = useConnections()
  const downloads = useDownloads()

  const doneSteps = computed(() => new Set<FirstStep>(settings.current.stepsDone))
  const isShown = computed(() => !settings.current.stepsHidden)

  async function tick(step: FirstStep): Promise<void> {
    if (doneSteps.value.has(step)) return
    await settings.change({ stepsDone: [...doneSteps.value, step] })
  }

  /** Starts to listen for actions that tick off steps. */
  function start(): void {
    watch(
      () => connections.list.some(({ builtIn }) => !builtIn),
      (hasOwn) => hasOwn && void tick('connect'),
      { immediate: true },
    )
    watch(
      () => downloads.enqueueCount,
      () => void tick('download'),
    )
  }

  /** Activates the sandbox connection and downloads the sample from it. */
  async function fetchSample(): Promise<void> {
    const builtIn = connections.list.find((each) => each.builtIn)
    if (builtIn && !builtIn.active) await connections.use(builtIn.id)
    await host.call('sample.fetch', {})
  }

  return {
    doneSteps,
    isShown,
    start,
    /** Ticks off the steps that consist in opening this screen. */
    tickScreen: (screen: string) => {
      if (screen === 'coverage') void tick('coverage')
      if (screen === 'portfolios') void tick('portfolio')
    },
    show: (shown: boolean) => settings.change({ stepsHidden: !shown }),
    fetchSample,
    removeSample: () => host.call('sample.remove', {}),
    /** Brings back the days that a removal took away; the connection in use stays. */
    restoreSample: (days: SampleDays) => host.call('sample.fetch', days ? { days } : {}),
  }
})
