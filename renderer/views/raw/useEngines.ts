import { computed, ref, shallowRef, watch } from 'vue'
import type { CallInput, CallOutput } from '#shared/contract/calls.ts'
import type { EngineDatasetCheck, EngineName } from '#shared/contract/areas/raw.ts'
import { formatTime } from '#shared/units/instants.ts'
import { useConnections } from '../../stores/connections.ts'
import { persistedRef } from '../../stores/persistedRef.ts'
import { useRaw } from '../../stores/raw.ts'
import { useSettings } from '../../stores/settings.ts'
import { engineText as text } from '../../text/raw.ts'

type RawPlace = CallInput<'raw.computeOnEngine'>['raw']

const isText = (stored: unknown): stored is string => typeof stored === 'string'
/** Characters that an engine would read as a wildcard or as the end of a quoted text, and control characters. */
const forbiddenCharacters = /[*?[\]{}'"`\\\p{Cc}]/u

/** Parses the typed location of events on an engine's machine; null if invalid. */
export function parseLocation(typed: string): RawPlace | null {
  if (!typed.startsWith('table:'))
    return parseFolderAddress(typed) === null ? null : { kind: 'folder', address: parseFolderAddress(typed)! }
  const name = typed.slice('table:'.length)
  return /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/.test(name) ? { kind: 'database', name } : null
}

/** Parses a folder or `s3://` address as an engine sees it; null if invalid. */
export function parseFolderAddress(typed: string): string | null {
  const address = typed.replace(/(?<=.)\/+$/, '')
  return /^(s3:\/\/[^/]|\/|[A-Za-z]:\/)/.test(address) && !forbiddenCharacters.test(address) ? address : null
}

/**
 * Tracks the ClickHouse server of the active connection, the location of its events, and the results of comparisons.
 */
export function useEngines() {
  const raw = useRaw()
  const connections = useConnections()
  const settings = useSettings()
  const server = shallowRef<CallOutput<'connections.engine'>>(null)
  const checks = shallowRef<EngineDatasetCheck[]>([])
  const isLoaded = ref(false)
  const place = persistedRef('raw.engine-place', '', isText)

  async function load(): Promise<void> {
    const id = connections.active?.id
    if (id === undefined) return
    const [found, compared] = await Promise.all([connections.engine(id), raw.engineChecks()])
    if (connections.active?.id !== id) return
    server.value = found
    checks.value = compared
    isLoaded.value = true
  }
  watch(
    () => connections.active?.id,
    () => void load().catch(() => {}),
    { immediate: true },
  )

  /**
   * Summarises the comparisons of an engine with the built-in one on some datasets: one of those that found a
   * difference, the datasets not compared yet, and, if all agree, a text that says so.
   */
  const checksOf = (engine: EngineName, datasets: readonly string[]) => {
    const comparisons = checks.value.filter((each) => each.engine === engine && datasets.includes(each.dataset))
    const refused = comparisons.find((each) => each.refusal !== null) ?? null
    const unchecked = datasets.filter((id) => !comparisons.some(({ dataset }) => dataset === id))
    const lastComparison = comparisons.toSorted((a, b) => a.checkedAt - b.checkedAt).at(-1)
    const agreementText =
      lastComparison && refused === null && unchecked.length === 0
        ? text.agrees(
            text.names[engine],
            comparisons.length,
            lastComparison.version,
            formatTime(lastComparison.checkedAt, settings.current.timeZone, 'minute'),
          )
        : null
    return { refused, unchecked, agreementText }
  }
  const connectionId = computed(() => connections.active?.id ?? '')
  return {
    connectionId,
    server,
    isLoaded,
    place,
    parsedPlace: computed(() => parseLocation(place.value)),
    load,
    checksOf,
  }
}
