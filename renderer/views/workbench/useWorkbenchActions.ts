import { type LocationQuery, useRoute, useRouter } from 'vue-router'
import { computed, ref, type Ref } from 'vue'
import type { TimeRange } from '#shared/time/ranges.ts'
import { documentName, MOST_NAME_LENGTH } from '#shared/units/fileNames.ts'
import { parseDecimal } from '#shared/units/numbers.ts'
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
import { addComparison, type SeriesComparison } from '#shared/workspace/compareSeries.ts'
import { showInBase, showInQuote } from '#shared/workspace/quoteCurrency.ts'
import type { LockedAxis, ShownUnit, Side } from '#shared/workspace/chartStyle.ts'
import { isShade } from '#shared/workspace/chartStyle.ts'
import { keptDocument } from '#shared/workspace/quickLook.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type {
  ColumnSource,
  Drawing,
  FormulaInstrument,
  NewDrawing,
  SeriesEntry,
  WorkspaceDocument,
} from '#shared/workspace/workspaceSchema.ts'
import type { Measure, Note } from '../../charts/model.ts'
import { useCommands } from '../../stores/commands.ts'
import { useDiscovery } from '../../stores/discovery.ts'
import { useToasts } from '../../stores/toasts.ts'
import { useWorkspaces } from '../../stores/workspaces.ts'
import { workbenchText } from '../../text/workbench.ts'
import { seriesLabel } from './chartModel.ts'

/** The open dialog, with what it needs to know. */
export type OpenDialog =
  | { kind: 'series'; initialSource: ColumnSource; paneId: string | null }
  | {
      kind: 'formula'
      name: string
      formula: string
      entryId: string | null
      paneId: string | null
      on?: FormulaInstrument | undefined
      /** True for a condition, which shades the chart where it holds. */
      isCondition?: boolean
    }
  | { kind: 'note'; timeMs: number; note: Note | null }
  | { kind: 'compare'; initialSource: ColumnSource }
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
      /** Factor from values to shown numbers, such as 100 for a fraction shown as a percentage. */
      factor: number
    }

/** A formula with the instrument whose columns it names, if any. */
export interface NewFormula {
  formula: string
  on?: FormulaInstrument | undefined
  /** Unit in which it is shown from now on; none if that stays. */
  unit?: ShownUnit | undefined
}

/** Source of a new series where the workspace has none to start from. */
const defaultSource = (exchange: string | null): ColumnSource => ({
  kind: 'column',
  dataset: 'ohlcv',
  column: 'close',
  exchange: exchange ?? '',
  symbol: 'perpetual-BTC-USDT:USDT',
  interval: '1m',
  timestamp: 'exchange',
  resampleTo: '',
  origin: 'service',
})

/**
 * Pane id that stands for a new pane, which a formula gets because its unit usually differs from those of its inputs.
 */
const NEW_PANE = ''

/**
 * Returns the last column that `isWanted` accepts; the dialog for a new series starts from it, because most new series
 * differ from it in only one respect.
 */
const lastColumnOf = (entries: readonly SeriesEntry[], isWanted: (source: ColumnSource) => boolean = () => true) =>
  entries.flatMap(({ source }) => (source.kind === 'column' && isWanted(source) ? source : [])).at(-1)

/** Tells whether a column has a venue, so that it can be compared; those of portfolios, tests and queries have none. */
const isOfMarket = ({ dataset }: ColumnSource) => !isStoredDataset(dataset)

/** Creates the actions on the open workspace, for buttons, keys and the palette. */
export function useWorkbenchActions() {
  const discovery = useDiscovery()
  const workspaces = useWorkspaces()
  const toasts = useToasts()
  const dialog = ref<OpenDialog | null>(null)

  const entries = computed(() => allSeries(workspaces.content))
  const edit = (change: (before: WorkspaceDocument) => WorkspaceDocument, options?: { quiet?: boolean }) =>
    void workspaces.edit(change, options).catch(toasts.problem)

  const lastSource = () => lastColumnOf(entries.value) ?? defaultSource(discovery.firstVenue)
  const lastMarketSource = () => lastColumnOf(entries.value, isOfMarket) ?? defaultSource(discovery.firstVenue)

  const paneOf = (entryId: string) =>
    workspaces.document.panes.find(({ series }) => series.some(({ id }) => id === entryId))?.id ?? null

  /** Opens a dialog that may begin with the first venue, once that is known. */
  const openOnVenues = (open: () => OpenDialog) =>
    discovery.firstVenue === null
      ? void discovery.venuesLoaded().then(() => (dialog.value ??= open()))
      : (dialog.value = open())

  const promptSeries = (paneId: string | null) =>
    openOnVenues(() => ({ kind: 'series', paneId, initialSource: { ...lastSource(), resampleTo: '' } }))

  function promptFormula(formula = '', paneId: string | null = NEW_PANE): void {
    dialog.value = { kind: 'formula', name: freeName(workspaces.document), formula, entryId: null, paneId }
  }

  /** Asks for a condition, which is listed in a pane and shades all of them. */
  function promptCondition(paneId: string | null, formula = ''): void {
    const { panes } = workspaces.document
    promptFormula(formula, paneId ?? panes.at(0)?.id ?? NEW_PANE)
    if (dialog.value?.kind === 'formula') dialog.value = { ...dialog.value, isCondition: true }
  }

  /** Compares what leads the workspace, which mostly is a price. */
  const leadingSource = () =>
    lastColumnOf(entries.value.toReversed(), isOfMarket) ?? defaultSource(discovery.firstVenue)
  const promptCompare = (source?: ColumnSource) =>
    openOnVenues(() => ({
      kind: 'compare',
      initialSource: { ...(source ?? leadingSource()), resampleTo: '', origin: 'service' },
    }))
  const compare = (comparison: SeriesComparison) => edit((before) => addComparison(before, comparison))

  const add = (series: NewSeries, paneId: string | null) => edit((before) => addSeries(before, paneId, series).document)

  function addColumn(source: ColumnSource, paneId: string | null): void {
    const isAlone = (workspaces.document.panes.find(({ id }) => id === paneId)?.series.length ?? 0) === 0
    add({ source, style: isAlone ? defaultStyle(source.dataset, source.column) : 'line' }, paneId)
  }

  function setFormula({ formula, on, ...shown }: NewFormula, paneId: string | null): void {
    const openDialog = dialog.value
    if (openDialog?.kind !== 'formula') return
    const source = { kind: 'formula' as const, formula, ...(on && { on }) }
    const style = openDialog.isCondition ? ('shade' as const) : ('line' as const)
    if (openDialog.entryId === null) add({ source, style, ...shown }, paneId)
    else edit((before) => changeSeries(before, openDialog.entryId!, { source, ...shown }))
  }

  /** Adds a labelled formula in a new pane. */
  const addFormula = (formula: string, label: string) =>
    add({ source: { kind: 'formula', formula }, label: label.slice(0, 200) }, null)

  /** Adds the series on its other clock to the same pane, and the difference of the two in a new pane. */
  function addOtherClock(entry: SeriesEntry): void {
    const { source } = entry
    if (source.kind !== 'column') return
    const otherClock = source.timestamp === 'exchange' ? 'true' : 'exchange'
    edit((before) => {
      const twin = addSeries(before, paneOf(entry.id), { source: { ...source, timestamp: otherClock } })
      const [exchangeName, trueName] =
        otherClock === 'true' ? [entry.name, twin.entry.name] : [twin.entry.name, entry.name]
      const label = workbenchText.series.clockDifference
      const formula = `${exchangeName} - ${trueName}`
      return addSeries(twin.document, null, { source: { kind: 'formula', formula }, style: 'step', label }).document
    })
  }

  function actOn(action: string, entry: SeriesEntry): void {
    const { source } = entry
    const partner = entries.value.find(({ name }) => name !== entry.name)?.name ?? ''
    if (action === 'formula' && source.kind === 'formula')
      dialog.value = {
        kind: 'formula',
        name: entry.name,
        formula: source.formula,
        entryId: entry.id,
        paneId: null,
        on: source.on,
        isCondition: isShade(entry),
      }
    if (action === 'compare' && source.kind === 'column') promptCompare(source)
    if (action === 'clock') addOtherClock(entry)
    if (action === 'shade') promptCondition(paneOf(entry.id), `${entry.name} > `)
    if (action === 'quote') edit((before) => showInQuote(before, entry))
    if (action === 'base') edit((before) => showInBase(before, entry))
    if (action === 'spread' || action === 'ratio') promptFormula(`${action}(${entry.name}, ${partner})`, '')
  }

  return {
    dialog,
    entries,
    edit,
    lastMarketSource,
    promptSeries,
    promptFormula,
    promptCondition,
    promptCompare,
    compare,
    addColumn,
    addFormula,
    setFormula,
    actOn,
    promptNote: (timeMs: number) => (dialog.value = { kind: 'note', timeMs, note: null }),
    openNote: (note: Note) => (dialog.value = { kind: 'note', timeMs: note.timeMs, note }),
    setNote(text: string): void {
      const openDialog = dialog.value
      if (openDialog?.kind !== 'note') return
      const change = (before: WorkspaceDocument) =>
        openDialog.note
          ? changeNote(before, openDialog.note.id, text)
          : addNote(before, Math.round(openDialog.timeMs), text)
      // Undo skips an added note and an edit of a note's text, but restores a removed note.
      edit(change, { quiet: text.trim() !== '' })
    },
    measure: (measure: Omit<Measure, 'id'>) => edit((before) => addMeasure(before, measure)),
    ...drawingActions(edit, dialog),
  }
}

/** Provides the actions on drawings and axes. */
function drawingActions(
  edit: (change: (before: WorkspaceDocument) => WorkspaceDocument) => void,
  dialog: Ref<OpenDialog | null>,
) {
  return {
    draw: (drawing: NewDrawing) => edit((before) => addDrawing(before, drawing)),
    openDrawing: (drawing: Drawing) => (dialog.value = { kind: 'drawing', drawing }),
    labelDrawing: ({ id }: Drawing, label: string) => edit((before) => labelDrawing(before, id, label)),
    removeDrawing: ({ id }: Drawing) => edit((before) => removeDrawing(before, id)),
    lockAxis: (paneId: string, side: Side, bounds: LockedAxis | null) =>
      edit((before) => lockAxis(before, paneId, side, bounds)),
  }
}

export type WorkbenchActions = ReturnType<typeof useWorkbenchActions>

/** Returns the name that a link gives its chart. */
const linkedName = ({ name }: LocationQuery): string =>
  (typeof name === 'string' && documentName(name, MOST_NAME_LENGTH)) || workbenchText.quickLooks.unnamed

/** Parses the range of a link; null if it has none, or an invalid one. */
function linkedRange({ from, to }: LocationQuery): TimeRange | null {
  const [startMs, endMs] = [from, to].map((each) => parseDecimal(String(each ?? '')) ?? NaN)
  return startMs < endMs && Math.abs(startMs) < MOST_DATE_MS && Math.abs(endMs) < MOST_DATE_MS
    ? { startMs, endMs }
    : null
}
/** Largest absolute time that a Date can represent, in milliseconds. */
const MOST_DATE_MS = 8.64e15

/** Provides the actions on workspaces, and opens the series of links. */
export function useWorkspaceActions(dialog: Ref<OpenDialog | null>) {
  const workspaces = useWorkspaces()
  const commands = useCommands()
  const discovery = useDiscovery()
  const toasts = useToasts()
  const route = useRoute()
  const router = useRouter()

  /** Opens the series of a link as a quick look in a tab of its own, so that no other workspace changes. */
  async function showLinked(): Promise<void> {
    const { query } = route
    if (typeof query.show !== 'string') return
    const { isLinkedDocument, readLinkedDocument } = await import('#shared/workspace/workspaceLink.ts')
    if (isLinkedDocument(query.show)) {
      const read = readLinkedDocument(query.show)
      if ('problem' in read) toasts.show({ kind: 'problem', message: workbenchText.quickLooks.notOpened(read.problem) })
      else await workspaces.openQuickLook(query.show, linkedName(query), read.document)
      return void (await router.replace(route.path))
    }
    const { documentOf, shownSeries } = await import('#shared/workspace/shownSeries.ts')
    let sources = shownSeries(query.show)
    if (!sources) {
      // The columns of a dataset that no document names are known from the service's catalog.
      await discovery.catalog.ensure(false)
      const firstColumn = (dataset: string) =>
        discovery.datasets.find(({ id }) => id === dataset)?.columns.at(0)?.name ?? null
      sources = shownSeries(query.show, firstColumn)
    }
    if (!sources) return
    const linked = documentOf(sources)
    const range = linkedRange(query)
    const [first, ...others] = allSeries(linked)
    const title = workbenchText.quickLooks.title(seriesLabel(first, discovery), others.length)
    await workspaces.openQuickLook(JSON.stringify({ sources, range }), title, { ...linked, range })
    await router.replace(route.path)
  }

  async function closeQuickLook(id: string): Promise<void> {
    const name = workspaces.quickLooks.find((each) => each.id === id)?.name ?? ''
    const reopen = await workspaces.closeQuickLook(id)
    const { closed, undo } = workbenchText.quickLooks
    const action = { label: undo, run: () => void reopen().catch(toasts.problem) }
    toasts.show({ kind: 'done', message: closed(name), action })
  }

  async function act(action: string): Promise<void> {
    if (action === 'new') await workspaces.create(workbenchText.workspace.firstName)
    if (action === 'keep') await workspaces.keep()
    if (action === 'duplicate')
      await workspaces.create(workspaces.name || workbenchText.workspace.firstName, keptDocument(workspaces.document))
    if (action === 'rename' && workspaces.current) dialog.value = { kind: 'rename' }
    if (action === 'remove' && workspaces.current) dialog.value = { kind: 'remove' }
    if (action === 'openFile') commands.run('workspace.open')
    if (action === 'saveFile') commands.run('workspace.save')
  }

  return { act, showLinked, closeQuickLook }
}
