import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed, ref, type Ref } from 'vue'
import type { TimeRange } from '#shared/time/ranges.ts'
import { isStoredDataset } from '#shared/catalog/testedDatasets.ts'
import { defaultStyle } from '#shared/workspace/defaultColumn.ts'
import {
  addDrawing,
  addMeasure,
  addNote,
  addSeries,
  changeNote,
  changeSeries,
  freeName,
  labelDrawing,
  lockAxis,
  type NewSeries,
  removeDrawing,
} from '#shared/workspace/edit.ts'
import { addComparison, type Comparison } from '#shared/workspace/compareSeries.ts'
import { documentOf, shownSeries } from '#shared/workspace/shownSeries.ts'
import type { LockedAxis, Side } from '#shared/workspace/chartStyle.ts'
import {
  allSeries,
  type ColumnSource,
  type Drawing,
  type NewDrawing,
  type SeriesEntry,
  type WorkspaceDocument,
} from '#shared/workspace/workspace.ts'
import type { Measure, Note } from '../../charts/model.ts'
import { useCommands } from '../../stores/commands.ts'
import { useToasts } from '../../stores/toasts.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { workbenchText } from '../../text/workbench.ts'

/** The open dialog with its subject. */
export type Asking =
  | { kind: 'series'; start: ColumnSource; paneId: string | null }
  | { kind: 'formula'; name: string; formula: string; entryId: string | null; paneId: string | null }
  | { kind: 'note'; timeMs: number; note: Note | null }
  | { kind: 'compare'; start: ColumnSource }
  | { kind: 'rename' }
  | { kind: 'remove' }
  | { kind: 'shading' }
  | { kind: 'drawing'; drawing: Drawing }
  | {
      kind: 'axis'
      paneId: string
      side: Side
      unit: string
      bounds: readonly [number, number]
      /** Shown numbers per value: 100 for a fraction that is shown in per cent. */
      factor: number
    }

const firstSource: ColumnSource = {
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: 'venuea-futures',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
}

/** Place of a formula that opens a pane of its own, because its unit is rarely that of the series it is made of. */
const NEW_PANE = ''

/** Finds the last column: new series begin where it stands, because most differ from it in one thing. */
const lastOf = (entries: readonly SeriesEntry[], isWanted: (source: ColumnSource) => boolean = () => true) =>
  entries.flatMap(({ source }) => (source.kind === 'column' && isWanted(source) ? source : [])).at(-1)

/** Creates the actions on the open workspace, for buttons, keys and the palette. */
export function useWorkbenchActions() {
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const asking = ref<Asking | null>(null)

  const entries = computed(() => allSeries(workspaces.document))
  const edit = (change: (before: WorkspaceDocument) => WorkspaceDocument, options?: { quiet?: boolean }) =>
    void workspaces.edit(change, options).catch(toasts.problem)

  const lastSource = () => lastOf(entries.value) ?? firstSource
  /** Last series of a venue, for what compares venues and symbols; portfolios, tests and queries have none. */
  const lastMarketSource = () => lastOf(entries.value, ({ dataset }) => !isStoredDataset(dataset)) ?? firstSource

  const paneOf = (entryId: string) =>
    workspaces.document.panes.find(({ series }) => series.some(({ id }) => id === entryId))?.id ?? null

  function askSeries(paneId: string | null, start: ColumnSource = lastSource()): void {
    asking.value = { kind: 'series', paneId, start: { ...start, resampleTo: '' } }
  }

  function askFormula(formula = '', paneId: string | null = NEW_PANE): void {
    asking.value = { kind: 'formula', name: freeName(workspaces.document), formula, entryId: null, paneId }
  }

  function askCompare(start: ColumnSource = lastMarketSource()): void {
    asking.value = { kind: 'compare', start: { ...start, resampleTo: '', origin: 'service' } }
  }
  const compare = (comparison: Comparison) => edit((before) => addComparison(before, comparison))

  const add = (series: NewSeries, paneId: string | null) => edit((before) => addSeries(before, paneId, series).document)

  function addColumn(source: ColumnSource, paneId: string | null): void {
    const isAlone = (workspaces.document.panes.find(({ id }) => id === paneId)?.series.length ?? 0) === 0
    add({ source, style: isAlone ? defaultStyle(source.dataset, source.column) : 'line' }, paneId)
  }

  function setFormula(formula: string, paneId: string | null): void {
    const open = asking.value
    if (open?.kind !== 'formula') return
    const source = { kind: 'formula' as const, formula }
    if (open.entryId === null) add({ source }, paneId)
    else edit((before) => changeSeries(before, open.entryId!, { source }))
  }

  /** Adds a formula in a pane of its own, under a label. */
  const addFormula = (formula: string, label: string) =>
    add({ source: { kind: 'formula', formula }, label: label.slice(0, 200) }, null)

  /** Adds the same series by the other timestamp source, and their difference below. */
  function addClockLens(entry: SeriesEntry): void {
    const { source } = entry
    if (source.kind !== 'column') return
    const other = source.timestamp === 'exchange' ? 'true' : 'exchange'
    edit((before) => {
      const twin = addSeries(before, paneOf(entry.id), { source: { ...source, timestamp: other } })
      const [exchange, local] = other === 'true' ? [entry.name, twin.entry.name] : [twin.entry.name, entry.name]
      const label = workbenchText.series.clockDifference
      const formula = `${exchange} - ${local}`
      return addSeries(twin.document, null, { source: { kind: 'formula', formula }, style: 'step', label }).document
    })
  }

  /** Adds an amount in quote currency: multiplied by the close of its instrument, which is added hidden if it is not there. */
  function addInQuote(entry: SeriesEntry): void {
    const { source } = entry
    if (source.kind !== 'column') return
    const priceSource: ColumnSource = { ...source, dataset: 'ohlcv', column: 'close' }
    const same = JSON.stringify(priceSource)
    edit((before) => {
      const known = allSeries(before).find((each) => JSON.stringify(each.source) === same)
      const priced = known
        ? { document: before, entry: known }
        : addSeries(before, paneOf(entry.id), { source: priceSource })
      const withPrice = known ? before : changeSeries(priced.document, priced.entry.id, { hidden: true })
      const formula = `inquote(${entry.name}, ${priced.entry.name})`
      const { style } = entry
      return addSeries(withPrice, null, { source: { kind: 'formula', formula }, style }).document
    })
  }

  function actOn(action: string, entry: SeriesEntry): void {
    const { source } = entry
    const partner = entries.value.find(({ name }) => name !== entry.name)?.name ?? ''
    if (action === 'formula' && source.kind === 'formula')
      asking.value = { kind: 'formula', name: entry.name, formula: source.formula, entryId: entry.id, paneId: null }
    if (action === 'compare' && source.kind === 'column') askCompare(source)
    if (action === 'clock') addClockLens(entry)
    if (action === 'quote') addInQuote(entry)
    if (action === 'spread' || action === 'ratio') askFormula(`${action}(${entry.name}, ${partner})`, '')
  }

  return {
    asking,
    entries,
    edit,
    lastMarketSource,
    askSeries,
    askFormula,
    askCompare,
    compare,
    addColumn,
    addFormula,
    setFormula,
    actOn,
    askNote: (timeMs: number) => (asking.value = { kind: 'note', timeMs, note: null }),
    openNote: (note: Note) => (asking.value = { kind: 'note', timeMs: note.timeMs, note }),
    setNote(text: string): void {
      const open = asking.value
      if (open?.kind !== 'note') return
      const change = (before: WorkspaceDocument) =>
        open.note ? changeNote(before, open.note.id, text) : addNote(before, Math.round(open.timeMs), text)
      // Undoing an edit of the chart keeps what was written meanwhile; a removed note can be brought back.
      edit(change, { quiet: text.trim() !== '' })
    },
    measure: (measure: Omit<Measure, 'id'>) => edit((before) => addMeasure(before, measure)),
    ...drawingActions(edit, asking),
  }
}

/** Provides the actions on drawings and axes. */
function drawingActions(
  edit: (change: (before: WorkspaceDocument) => WorkspaceDocument) => void,
  asking: Ref<Asking | null>,
) {
  return {
    draw: (drawing: NewDrawing) => edit((before) => addDrawing(before, drawing)),
    askDrawing: (drawing: Drawing) => (asking.value = { kind: 'drawing', drawing }),
    labelDrawing: ({ id }: Drawing, label: string) => edit((before) => labelDrawing(before, id, label)),
    removeDrawing: ({ id }: Drawing) => edit((before) => removeDrawing(before, id)),
    lockAxis: (paneId: string, side: Side, bounds: LockedAxis | null) =>
      edit((before) => lockAxis(before, paneId, side, bounds)),
  }
}

export type WorkbenchActions = ReturnType<typeof useWorkbenchActions>

/** Reads the range of a link; null where it names none, or one that does not run forward. */
function linkedRange({ from, to }: LocationQuery): TimeRange | null {
  const [startMs, endMs] = [Number(from ?? NaN), Number(to ?? NaN)]
  return startMs < endMs && Math.abs(startMs) < FAR_MS && Math.abs(endMs) < FAR_MS ? { startMs, endMs } : null
}
/** Times beyond are not dates. */
const FAR_MS = 8.64e15

const QUICK_LOOK = workbenchText.workspace.quickLook

/** Provides the actions on whole workspaces and on addresses that open them. */
export function useWorkspaceActs(asking: Ref<Asking | null>) {
  const workspaces = useWorkspaces()
  const commands = useCommands()
  const route = useRoute()
  const router = useRouter()

  /** Opens the series of a link in a workspace of their own, so that no saved workspace changes. */
  async function showLinked(): Promise<void> {
    const sources = typeof route.query.show === 'string' ? shownSeries(route.query.show) : null
    if (!sources) return
    const linked = { ...documentOf(sources), range: linkedRange(route.query) }
    const known = workspaces.list.find(({ name }) => name === QUICK_LOOK)
    if (known) {
      if (known.id !== workspaces.current?.id) await workspaces.open(known.id)
      await workspaces.edit(() => linked)
    } else await workspaces.create(QUICK_LOOK, linked)
    await router.replace(route.path)
  }

  async function act(action: string): Promise<void> {
    if (action === 'new') await workspaces.create(workbenchText.workspace.firstName)
    if (action === 'duplicate')
      await workspaces.create(workspaces.name || workbenchText.workspace.firstName, workspaces.document)
    if (action === 'rename' && workspaces.current) asking.value = { kind: 'rename' }
    if (action === 'remove' && workspaces.current) asking.value = { kind: 'remove' }
    if (action === 'openFile') commands.run('workspace.open')
    if (action === 'saveFile') commands.run('workspace.save')
  }

  return { act, showLinked }
}
