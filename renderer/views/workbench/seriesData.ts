import { computed, onScopeDispose, shallowRef, watch } from 'vue'
import { isPortfolioDataset } from '#shared/catalog/portfolioSeries.ts'
import type { CoverageRange, OverviewPoints, SourceFile, UnreadFile } from '#shared/contract/areas/series.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { computedOwner } from '#shared/contract/computedOwner.ts'
import type { ListedPair } from '#shared/contract/listsFile.ts'
import { type AppError, toAppError } from '#shared/contract/errors.ts'
import type { Progress } from '#shared/contract/protocol.ts'
import { MS_PER_DAY } from '#shared/time.ts'
import type { Origin } from '#shared/workspace/chartStyle.ts'
import { canBeCandles, candleColumns } from '#shared/workspace/candles.ts'
import { expandEntry, type FormulaProblem, isAtLabels, isPlainColumn } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, SeriesEntry, WorkspaceDocument } from '#shared/workspace/workspaceSchema.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import { useSeries } from '../../stores/series.ts'

type OverviewInput = Omit<CallInput<'series.overview'>, 'startMs' | 'endMs' | 'edges'>
type EvaluateInput = Omit<CallInput<'series.evaluate'>, 'startMs' | 'endMs' | 'originMs' | 'edges'>

/**
 * Returns the owner of a series' files: the active connection (the empty id), or the owner of the files computed from
 * its raw events.
 */
export const ownerOf = (origin: Origin): string => (origin === 'computed' ? computedOwner('') : '')

/** Request for the points of a series; series with equal requests share an answer. */
type SeriesRequest =
  | { kind: 'overview'; input: OverviewInput; column: string; asCandles: boolean }
  | { kind: 'evaluate'; input: EvaluateInput }
  | { kind: 'problem'; problem: FormulaProblem }

/** Returns the column of a series' points; a formula's only column is `value`. */
export const drawnColumn = (entry: SeriesEntry): string =>
  entry.source.kind === 'column' && isPlainColumn(entry) ? entry.source.column : 'value'

export const seriesOf = ({ dataset, exchange, symbol, interval, timestamp, origin }: ColumnSource) => ({
  connectionId: ownerOf(origin),
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
})

export function requestOf(entry: SeriesEntry, all: readonly SeriesEntry[]): SeriesRequest {
  const { source } = entry
  if (source.kind === 'column' && isPlainColumn(entry)) {
    const asCandles = entry.style === 'candles' && canBeCandles(entry)
    const columns = asCandles ? [...candleColumns] : [source.column]
    const input = { ...seriesOf(source), columns, ...(source.asKnown && { asKnown: true }) }
    return { kind: 'overview', input, column: source.column, asCandles }
  }
  const expanded = expandEntry(entry, all)
  if ('problem' in expanded) return { kind: 'problem', problem: expanded.problem }
  return { kind: 'evaluate', input: { formula: expanded.formula, inputs: inputsOf(expanded.columns) } }
}

/**
 * Builds the inputs of a formula: its columns by the names in the formula.
 * @param entry the series whose own rows these are, if they are to be taken as the chart draws them
 */
export const inputsOf = (
  columns: Readonly<Record<string, ColumnSource>>,
  entry?: SeriesEntry,
): EvaluateInput['inputs'] =>
  Object.fromEntries(
    Object.entries(columns).map(([name, each]) => [
      name,
      { ...seriesOf(each), column: each.column, ...(entry && isAtLabels(entry) && { atLabel: true }) },
    ]),
  )

/** Builds the request for a plain column. */
const columnRequest = (entry: Pick<SeriesEntry, 'source' | 'style'>) => {
  const source = entry.source as ColumnSource
  const asCandles = entry.style === 'candles' && canBeCandles(entry)
  return { ...seriesOf(source), columns: asCandles ? [...candleColumns] : [source.column] }
}

/** Groups columns by their series; a group has the name of its first column. */
export function columnsBySeries(
  entries: readonly SeriesEntry[],
): { name: string; source: ColumnSource; columns: string[] }[] {
  const groupByKey = new Map<string, { name: string; source: ColumnSource; columns: Set<string> }>()
  for (const entry of entries) {
    const { name, source } = entry
    if (source.kind !== 'column') continue
    const key = JSON.stringify(seriesOf(source))
    const group = groupByKey.get(key) ?? { name, source, columns: new Set() }
    for (const column of columnRequest(entry).columns) group.columns.add(column)
    groupByKey.set(key, group)
  }
  return [...groupByKey.values()].map(({ columns, ...group }) => ({ ...group, columns: [...columns] }))
}

/** Splits plain columns into those that can be read and those that no file of their series has. */
export function withoutAbsent(entries: readonly SeriesEntry[], absentOf: (id: string) => readonly string[]) {
  const requested = entries.map((entry) => ({ ...columnRequest(entry), absent: absentOf(entry.id) }))
  const present = requested.map(({ absent, ...request }) => ({
    ...request,
    columns: request.columns.filter((column) => !absent.includes(column)),
  }))
  // If no column is left, the full request is sent so that the core reports the problem.
  const readable = present.filter(({ columns }) => columns.length > 0)
  if (readable.length === 0) return { present: entries.map(columnRequest), absent: [] }
  return { present: readable, absent: [...new Set(requested.flatMap(({ absent }) => absent))] }
}

/** Points of a range, with their sources. */
export interface LoadedPart extends TimeRange {
  points: OverviewPoints
  /** Instants that split bins: the ends of the view for which the points were loaded. */
  edges: readonly number[]
  coverage: readonly CoverageRange[]
  unread: readonly UnreadFile[]
  absentColumns: readonly string[]
  files: readonly SourceFile[]
  /** Unit of a formula's result; null for a column, whose unit is in the catalog. */
  unit: string | null
  /** Problems with the unit; empty for a plain column. */
  unitWarnings: readonly string[]
  /** Notes on the values of a formula, such as where a cumulative sum starts; empty for a plain column. */
  notes: readonly string[]
  /** Instruments whose funding period a formula needs and that is not known everywhere. */
  unknownFunding?: readonly ListedPair[]
}

/** Loaded points of a series: reduced over its complete range, and detailed over part of it. */
export interface LoadedSeries {
  whole: LoadedPart | null
  detail: LoadedPart | null
  error: AppError | null
  problem: FormulaProblem | null
}

const covers = (outer: TimeRange, inner: TimeRange): boolean =>
  outer.startMs <= inner.startMs && outer.endMs >= inner.endMs

const isEmptyRange = ({ startMs, endMs }: TimeRange): boolean => !(startMs < endMs)

/**
 * Returns the part from which a view is drawn: the detailed one if it covers the view or is the only one loaded,
 * otherwise the whole one; null if nothing is loaded.
 */
export const partFor = ({ whole, detail }: LoadedSeries, view: TimeRange): LoadedPart | null =>
  detail && (covers(detail, view) || !whole) ? detail : whole

/** Maximum ratio of the range of reduced points to the view; above it the chart looks coarse. */
const MOST_TIMES_LONGER = 4
/** Fraction of the view's length that is also loaded before and after it, so that a small step needs no new request. */
const MARGIN_SHARE = 0.5

const lengthOf = ({ startMs, endMs }: TimeRange) => endMs - startMs

/** Tells whether the ends of a view cut a bin, which would then show extremes of rows outside the view. */
function isCut({ points, startMs, endMs, edges }: LoadedPart, view: TimeRange): boolean {
  const { binMs } = points
  if (binMs === null) return false
  const cuts = (edge: number) => edge > startMs && edge < endMs && edge % binMs !== 0 && !edges.includes(edge)
  return cuts(view.startMs) || cuts(view.endMs)
}

/**
 * Returns the range to request for a more detailed view; null if the loaded points suffice, before any are loaded, and
 * for an empty view.
 */
export function rangeToLoad({ whole, detail }: LoadedSeries, view: TimeRange): TimeRange | null {
  if (!whole || isEmptyRange(view)) return null
  const isFine = (part: LoadedPart) =>
    covers(part, view) &&
    (part.points.kind === 'rows' || lengthOf(part) <= lengthOf(view) * MOST_TIMES_LONGER) &&
    !isCut(part, view)
  if (isFine(whole) || (detail && isFine(detail))) return null
  const marginMs = lengthOf(view) * MARGIN_SHARE
  return { startMs: Math.floor(view.startMs - marginMs), endMs: Math.ceil(view.endMs + marginMs) }
}

/** Returns the smallest range that contains the complete ranges of all loaded series; null if none has rows. */
function extentOfAll(all: Iterable<LoadedSeries>): TimeRange | null {
  let startMs = Infinity
  let endMs = -Infinity
  for (const { whole } of all) {
    if (!whole || isEmptyRange(whole)) continue
    startMs = Math.min(startMs, whole.startMs)
    endMs = Math.max(endMs, whole.endMs)
  }
  return startMs < endMs ? { startMs, endMs } : null
}

const isPortfolioHistory = (request: SeriesRequest) =>
  request.kind === 'overview' && isPortfolioDataset(request.input.dataset)

/**
 * Returns the extent of all series except portfolio histories, whose years would shrink the others to a sliver; the
 * extent of the histories if there are no others.
 */
function extentOfRequests(
  requestByKey: ReadonlyMap<string, SeriesRequest>,
  loaded: ReadonlyMap<string, LoadedSeries>,
): TimeRange | null {
  const extentOfKeys = (keys: readonly string[]) => extentOfAll(keys.flatMap((key) => loaded.get(key) ?? []))
  const metricKeys = [...requestByKey].flatMap(([key, one]) => (isPortfolioHistory(one) ? [] : [key]))
  return extentOfKeys(metricKeys) ?? extentOfKeys([...requestByKey.keys()])
}

const NOTHING_LOADED: LoadedSeries = { whole: null, detail: null, error: null, problem: null }
const WHOLE_RANGE = { startMs: null, endMs: null }
/** Number of points to request: twice the pixels of a wide plot, because the range is twice as long as the view. */
const POINT_COUNT = 4000
const SHOWN_WITHOUT_DATA_DAYS = 7
/**
 * Number of steps to look back for the last row before an instant; a single step could miss it, because times are
 * rounded.
 */
const ROWS_BEFORE = 2
/** Delay before details load, because a wheel sends events many times per second. */
const SETTLED_AFTER_MS = 60

/** Requests the points of a series in a range, as an overview or as the values of a formula. */
async function requestPart(
  series: ReturnType<typeof useSeries>,
  request: SeriesRequest,
  range: typeof WHOLE_RANGE | TimeRange,
  originMs: number | null,
  edges: readonly number[],
  signal: AbortSignal,
  onProgress: (progress: Progress) => void = () => {},
) {
  const split = { edges: [...edges] }
  if (request.kind === 'overview') {
    const {
      points,
      range: answeredRange,
      ...rest
    } = await series.overview({ ...request.input, ...range, ...split, points: POINT_COUNT }, signal)
    return {
      part: { ...answeredRange, points, edges, unit: null, ...rest, unitWarnings: [], notes: [] } satisfies LoadedPart,
      problem: null,
    }
  }
  if (request.kind === 'problem') return { part: null, problem: request.problem }
  const input = { ...request.input, ...range, ...split, originMs, points: POINT_COUNT }
  const answer = await series.evaluate(input, signal, onProgress)
  const inputs = Object.values(answer.inputs)
  const part: LoadedPart = {
    ...answer.range,
    points: answer.points,
    edges,
    coverage: inputs.flatMap(({ coverage }) => coverage),
    unread: inputs.flatMap(({ unread }) => unread),
    absentColumns: inputs.flatMap(({ absentColumns }) => absentColumns),
    files: inputs.flatMap(({ files }) => files),
    unit: answer.unit,
    unitWarnings: answer.unitWarnings,
    notes: answer.notes,
    unknownFunding: answer.unknownFunding,
  }
  return { part, problem: answer.problem }
}

/**
 * Loads the points of a document's series: reduced over the complete range, and detailed over the view.
 * @param isNeeded tells which series to load
 */
export function useSeriesData(document: () => WorkspaceDocument, isNeeded = (_entry: SeriesEntry) => true) {
  const series = useSeries()
  const loaded = shallowRef<ReadonlyMap<string, LoadedSeries>>(new Map())
  /** What the core says of requests that wait or take long, by slot. */
  const workBySlot = shallowRef<ReadonlyMap<string, string>>(new Map())
  const controllerBySlot = new Map<string, AbortController>()
  /** Range and view for which details were last requested, as one text, by the key of the request. */
  const lastRequested = new Map<string, string>()

  const panes = computed(() => document().panes)
  /** Requests by the id of the series; a zoom rebuilds none, because it does not change the panes. */
  const requests = computed(() => {
    const all = allSeries({ panes: panes.value })
    return new Map(all.filter(isNeeded).map((entry) => [entry.id, requestOf(entry, all)]))
  })
  const requestByKey = computed(() => new Map([...requests.value.values()].map((one) => [JSON.stringify(one), one])))
  const extent = computed(() => extentOfRequests(requestByKey.value, loaded.value))
  const view = computed<TimeRange>(() => document().range ?? extent.value ?? lastDays())
  const isLoading = computed(() =>
    [...requestByKey.value.keys()].some((key) => {
      const loadedSeries = loaded.value.get(key)
      return !loadedSeries || (!loadedSeries.whole && !loadedSeries.error && !loadedSeries.problem)
    }),
  )

  function put(key: string, patch: Partial<LoadedSeries>): void {
    loaded.value = new Map(loaded.value).set(key, { ...(loaded.value.get(key) ?? NOTHING_LOADED), ...patch })
  }

  function tellWork(slot: string, message: string): void {
    if (message === (workBySlot.value.get(slot) ?? '')) return
    const work = new Map(workBySlot.value)
    if (message === '') work.delete(slot)
    else work.set(slot, message)
    workBySlot.value = work
  }

  async function load(
    key: string,
    request: SeriesRequest,
    range: TimeRange | null,
    edges: readonly number[] = [],
  ): Promise<void> {
    const slot = `${range ? 'detail' : 'whole'} ${key}`
    controllerBySlot.get(slot)?.abort()
    const controller = new AbortController()
    const { signal } = controller
    controllerBySlot.set(slot, controller)
    try {
      // Cumulative sums start with the data, wherever the view is.
      const originMs = range ? (loaded.value.get(key)?.whole?.startMs ?? null) : null
      const tell = ({ message }: Progress) => {
        if (!signal.aborted) tellWork(slot, message)
      }
      const { part, problem } = await requestPart(series, request, range ?? WHOLE_RANGE, originMs, edges, signal, tell)
      if (signal.aborted) return
      put(key, { problem, error: null, ...(range ? { detail: part } : { whole: part }) })
    } catch (thrown) {
      if (!signal.aborted) put(key, { error: toAppError(thrown) })
    } finally {
      if (controllerBySlot.get(slot) === controller) {
        controllerBySlot.delete(slot)
        tellWork(slot, '')
      }
    }
  }

  function loadDetails(): void {
    for (const [key, request] of requestByKey.value) {
      const loadedSeries = loaded.value.get(key)
      const range = loadedSeries && !loadedSeries.error && rangeToLoad(loadedSeries, view.value)
      const edges = [view.value.startMs, view.value.endMs]
      const wanted = JSON.stringify([range, edges])
      // A repeated request would give no more details; after an error in a formula it would be repeated without end.
      if (!range || lastRequested.get(key) === wanted) continue
      lastRequested.set(key, wanted)
      void load(key, request, range, edges)
    }
  }

  /** Reloads everything after files or the connection changed; the current points stay on screen meanwhile. */
  async function reload(): Promise<void> {
    lastRequested.clear()
    const all = [...requestByKey.value]
    await Promise.all(all.map(([key, request]) => load(key, request, null)))
    for (const [key, request] of all) {
      const detail = loaded.value.get(key)?.detail
      if (detail) void load(key, request, { startMs: detail.startMs, endMs: detail.endMs }, detail.edges)
    }
    loadDetails()
  }

  function forget(): void {
    for (const controller of controllerBySlot.values()) controller.abort()
    controllerBySlot.clear()
    workBySlot.value = new Map()
    lastRequested.clear()
    loaded.value = new Map()
  }

  watch(
    () => [...requestByKey.value.keys()].join('\n'),
    () => {
      const kept = [...loaded.value].filter(([key]) => requestByKey.value.has(key))
      if (kept.length < loaded.value.size) loaded.value = new Map(kept)
      for (const key of lastRequested.keys()) if (!requestByKey.value.has(key)) lastRequested.delete(key)
      for (const [key, request] of requestByKey.value) if (!loaded.value.has(key)) void load(key, request, null)
    },
    { immediate: true },
  )
  let settleTimer: ReturnType<typeof setTimeout> | undefined
  watch([() => `${view.value.startMs} ${view.value.endMs}`, loaded], () => {
    clearTimeout(settleTimer)
    settleTimer = setTimeout(loadDetails, SETTLED_AFTER_MS)
  })
  onScopeDispose(() => {
    clearTimeout(settleTimer)
    forget()
  })

  const loadedSeriesOf = (seriesId: string): LoadedSeries => {
    const request = requests.value.get(seriesId)
    return (request && loaded.value.get(JSON.stringify(request))) ?? NOTHING_LOADED
  }

  /** Returns what the core says of a series that waits or takes long; null if it says nothing. */
  function workOf(seriesId: string): string | null {
    const request = requests.value.get(seriesId)
    const key = request && JSON.stringify(request)
    return (key && (workBySlot.value.get(`whole ${key}`) ?? workBySlot.value.get(`detail ${key}`))) || null
  }

  /** Reads the last rows of a series up to an instant; null if the series is not loaded or has a problem. */
  async function rowsUpTo(seriesId: string, timeMs: number, signal: AbortSignal): Promise<LoadedPart | null> {
    const request = requests.value.get(seriesId)
    const { whole } = loadedSeriesOf(seriesId)
    if (!request || !whole) return null
    const lookBackMs = (whole.points.stepMs ?? MS_PER_DAY) * ROWS_BEFORE
    const range = { startMs: Math.floor(timeMs - lookBackMs), endMs: Math.floor(timeMs) + 1 }
    return (await requestPart(series, request, range, whole.startMs, [], signal)).part
  }

  return { loadedOf: loadedSeriesOf, workOf, requests, extent, view, isLoading, reload, forget, rowsUpTo }
}

function lastDays(): TimeRange {
  const endMs = Math.floor(Date.now() / MS_PER_DAY) * MS_PER_DAY
  return { startMs: endMs - SHOWN_WITHOUT_DATA_DAYS * MS_PER_DAY, endMs }
}
