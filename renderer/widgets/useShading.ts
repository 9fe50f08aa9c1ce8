import { ref, shallowRef, watch } from 'vue'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import { columnOf, type Frame } from '#shared/contract/frame.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import { formatNumber } from '#shared/units/numbers.ts'
import type { Shading } from '#shared/workspace/workspaceSchema.ts'
import type { Band } from '../charts/model.ts'
import { useConnections } from '../stores/connections.ts'
import { useHost } from '../stores/host.ts'
import { workbenchText } from '../text/workbench.ts'

/** Loads the daily states of a regime or overlay, to shade the background of charts. */
export function useShading(shading: () => Shading | null) {
  const host = useHost()
  const connections = useConnections()
  const bands = shallowRef<readonly Band[]>([])
  const error = shallowRef<AppError | null>(null)
  const isLoading = ref(false)

  watch(
    [() => JSON.stringify(shading()), () => connections.active?.id],
    async (_now, _before, onCleanup) => {
      const wanted = shading()
      bands.value = []
      error.value = null
      isLoading.value = false
      if (!wanted) return
      const controller = new AbortController()
      onCleanup(() => controller.abort())
      isLoading.value = true
      const { kind, ...rest } = wanted
      const request =
        wanted.kind === 'regime'
          ? { endpoint: 'regime' as const, overlay: wanted.overlay }
          : { endpoint: 'overlay' as const, portfolio: wanted.portfolio, overlay: wanted.overlay }
      try {
        const { rows } = await host.call('portfolio.history', { request }, { signal: controller.signal })
        if (!controller.signal.aborted) bands.value = shadingBands(rows, kind, rest.overlay)
      } catch (thrown) {
        if (!controller.signal.aborted) error.value = toAppError(thrown)
      } finally {
        if (!controller.signal.aborted) isLoading.value = false
      }
    },
    { immediate: true },
  )
  return { bands, error, isLoading }
}

/**
 * Maximum number of distinct values that each get a colour; the values of a series with more are coloured by quartile.
 */
const MOST_STATES = 6
/** First palette colour for shading, different from the colours that series get first. */
const FIRST_COLOUR = 3

/**
 * Builds one band for each run of days with the same value or, if there are many values, in the same quartile. Days
 * without a value have no band.
 */
export function shadingBands(rows: Frame, kind: 'regime' | 'overlay', name: string): Band[] {
  const time = columnOf(rows, 'time')
  const state = rows.columns.find((column) => column.kind === 'number')
  if (time?.kind !== 'time' || !state) return []
  const values = Array.from({ length: rows.rows }, (_, row) => {
    const value = state.values[row]
    const isPresent = (!state.valid || state.valid[row] === 1) && typeof value === 'number' && Number.isFinite(value)
    return isPresent ? value : null
  })
  const classify = createClassifier(values.filter((value) => value !== null))
  const bands: Band[] = []
  for (const [row, value] of values.entries()) {
    if (value === null) continue
    const startMs = time.values[row]
    const { place, stateName } = classify(value)
    const before = bands.at(-1)
    const label = workbenchText.shading.state(name, stateName)
    if (before && before.endMs === startMs && before.label === label) before.endMs = startMs + MS_PER_DAY
    else {
      const day = { startMs, endMs: startMs + MS_PER_DAY, colour: FIRST_COLOUR + place }
      bands.push({ id: `${kind} ${startMs}`, kind, label, ...day })
    }
  }
  return bands
}

function createClassifier(values: readonly number[]): (value: number) => { place: number; stateName: string } {
  const distinctValues = [...new Set(values)].sort((a, b) => a - b)
  const stateText = (value: number) => formatNumber(value, Number.isInteger(value) ? 0 : 3)
  if (distinctValues.length <= MOST_STATES)
    return (value) => ({ place: distinctValues.indexOf(value), stateName: stateText(value) })
  const sortedValues = [...values].sort((a, b) => a - b)
  const edges = [0.25, 0.5, 0.75].map((share) => sortedValues[Math.floor((sortedValues.length - 1) * share)])
  const bounds = [sortedValues[0], ...edges, sortedValues[sortedValues.length - 1]]
  return (value) => {
    const edgeIndex = edges.findIndex((edge) => value <= edge)
    const place = edgeIndex < 0 ? edges.length : edgeIndex
    return { place, stateName: workbenchText.shading.quarter(stateText(bounds[place]), stateText(bounds[place + 1])) }
  }
}
