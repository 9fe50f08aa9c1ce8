import { computed, type ComputedRef, shallowRef } from 'vue'
import type { NewDrawing } from '#shared/workspace/workspaceSchema.ts'
import { chartsText } from '../text/charts.ts'
import { drawingBetween, drawingSide, type PlotPoint } from './drawings.ts'
import { type Box, plotIn } from './marks.ts'
import { type DrawingKind, hasValue, longestStepMs, type Measure, rowAtOrBefore, unscaledRows } from './model.ts'
import type { RowsAtCursor } from './model.ts'
import type { PaneView, SeriesView } from './paneView.ts'
import type { Drag } from './usePointer.ts'

type DraftKind = 'measure' | DrawingKind

/**
 * Creates measured ranges and drawings on the active pane by keyboard. The user presses the key of the tool at both
 * ends, or only once for a level.
 */
export function useKeyboardDrawing(deps: {
  views: () => readonly PaneView[]
  boxOf(paneId: string): Box | null
  cursorMs: () => number | null
  rowsAtCursor: () => RowsAtCursor | null
  /** Returns the id of the pane under the pointer; null outside of the panes. */
  pointedPane: () => string | null
  onMeasure(measure: Omit<Measure, 'id'>): void
  onDraw(drawing: NewDrawing): void
}) {
  /** Id of the pane chosen by keyboard; if empty, the pane under the pointer is active, or else the first. */
  const chosenId = shallowRef('')
  const firstPoint = shallowRef<(PlotPoint & { kind: DraftKind }) | null>(null)
  const activeView = computed<PaneView | null>(() => {
    const all = deps.views()
    const id = chosenId.value || deps.pointedPane()
    return all.find(({ pane }) => pane.id === id) ?? all.at(0) ?? null
  })

  /**
   * Returns the vertical position, at the given time, of the first series on the axis that drawings in the active pane
   * use; null if that series has no value there or the pane is not on screen.
   */
  function levelAt(timeMs: number): number | null {
    const view = activeView.value
    const box = view && deps.boxOf(view.pane.id)
    if (!view || !box) return null
    const side = drawingSide(view)
    const one = view.series.find((each) => each.side === side)
    const value = one ? shownValue(one, timeMs, deps.rowsAtCursor()) : null
    return value === null ? null : plotIn(box, { startMs: 0, endMs: 1 }, view.axes[side]!, 1).y(value)
  }

  /**
   * Returns the point of the active pane at the cursor; y is 0 for measured and drawn ranges, which span the height of
   * the pane.
   */
  function pointAt(kind: DraftKind): PlotPoint | null {
    const timeMs = deps.cursorMs()
    if (timeMs === null) return null
    if (kind === 'measure' || kind === 'range') return { timeMs, yPx: 0 }
    const yPx = levelAt(timeMs)
    return yPx === null ? null : { timeMs, yPx }
  }

  function drawingTo(kind: DrawingKind, from: PlotPoint, to: PlotPoint): NewDrawing | null {
    const view = activeView.value
    const box = view && deps.boxOf(view.pane.id)
    return view && box ? drawingBetween(kind, view, box, [from, to]) : null
  }

  function addPoint(kind: DraftKind): void {
    const point = pointAt(kind)
    const view = activeView.value
    if (!point || !view) return
    const start = kind === 'level' ? point : firstPoint.value?.kind === kind ? firstPoint.value : null
    firstPoint.value = start ? null : { ...point, kind }
    if (!start) return
    if (kind !== 'measure') {
      const drawing = drawingTo(kind, start, point)
      if (drawing) deps.onDraw(drawing)
    } else if (start.timeMs !== point.timeMs) deps.onMeasure({ ...rangeBetween(start, point), paneId: view.pane.id })
  }

  const draft = computed(() => {
    const start = firstPoint.value
    const end = start && pointAt(start.kind)
    return start && end && start.kind !== 'measure' ? drawingTo(start.kind, start, end) : null
  })
  const measuring: ComputedRef<Drag | null> = computed(() => {
    const start = firstPoint.value
    const toMs = deps.cursorMs()
    if (start?.kind !== 'measure' || toMs === null) return null
    const paneId = activeView.value?.pane.id ?? ''
    return { kind: 'measure', paneId, fromMs: start.timeMs, toMs, fromY: 0, toY: 0 }
  })

  /** Names the active pane for screen readers, once one has been chosen. */
  const message = computed(() => {
    const at = deps.views().findIndex(({ pane }) => pane.id === chosenId.value)
    return at < 0 ? '' : chartsText.activePane(deps.views()[at].pane.title || chartsText.pane(at + 1))
  })

  function changePane(by: 1 | -1): void {
    const all = deps.views()
    const at = all.findIndex(({ pane }) => pane.id === activeView.value?.pane.id)
    const targetIndex = Math.max(0, Math.min(all.length - 1, at + by))
    chosenId.value = all[targetIndex]?.pane.id ?? ''
  }

  const cancel = () => (firstPoint.value = null)
  return { activeView, chosenId, draft, measuring, message, addPoint, changePane, levelAt, cancel }
}

const rangeBetween = (a: PlotPoint, b: PlotPoint) => ({
  startMs: Math.min(a.timeMs, b.timeMs),
  endMs: Math.max(a.timeMs, b.timeMs),
})

/** Returns the shown value of a series at the given time, from the full row at the cursor if it is loaded. */
function shownValue(view: SeriesView, timeMs: number, rowsAtCursor: RowsAtCursor | null): number | null {
  const fullRows = rowsAtCursor?.timeMs === timeMs ? rowsAtCursor.rows.get(view.series.id) : undefined
  const rows = fullRows ?? unscaledRows(view.series)
  const row = rowAtOrBefore(rows.times, timeMs)
  const longestMs = longestStepMs(fullRows ? fullRows.stepMs : view.stepMs)
  if (row < 0 || timeMs - rows.times[row] > longestMs || !hasValue(rows, row)) return null
  return rows.values[row] * view.affine.factor + view.affine.offset
}
