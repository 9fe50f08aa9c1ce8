import { shallowRef, type Ref } from 'vue'
import { timeAtPx, type PaneWidths, zoomOf } from './layout.ts'
import type { TimeRange } from '#shared/time/ranges.ts'
import type { DrawingKind } from './model.ts'
import { between, panRange, zoomRange, type RangeControl } from './useRange.ts'

/** Tool that decides what a drag over a plot does. */
export type ChartTool = 'zoom' | 'measure' | DrawingKind

export interface Drag {
  kind: ChartTool | 'pan'
  paneId: string
  fromMs: number
  toMs: number
  /** Distances of both ends from the top of the pane, in pixels. */
  fromY: number
  toY: number
}

const LEAST_DRAG_PX = 4
/** Pause after which another turn of the wheel counts as a new gesture. */
const ONE_GESTURE_MS = 500
/** Natural logarithm of the zoom factor per pixel of wheel delta. */
const ZOOM_PER_WHEEL_PX = 0.0022
/** Natural logarithm of the zoom factor per pixel of pinch delta. */
const ZOOM_PER_PINCH_PX = 0.01
/** Delta below which a turn with Ctrl counts as a pinch; a step of a mouse wheel is larger. */
const MOST_PINCH_PX = 40

/** Finds the pane under the pointer, and the pointer's vertical position in it. */
function levelOf(event: MouseEvent, stage: HTMLElement) {
  const pane = (event.target as Element).closest<HTMLElement>('.plot[data-pane]')
  if (!pane) return null
  return { paneId: pane.dataset.pane!, yPx: (event.clientY - pane.getBoundingClientRect().top) / zoomOf(stage) }
}

/**
 * Creates a function that tells whether a turn of the wheel scrolls a chart whose panes do not all fit into its height.
 * Without Ctrl, it does if the pointer is not over a plot. Further turns of the same gesture go on scrolling, even if a
 * plot has come under the pointer.
 */
function scrollTest(): (event: WheelEvent, stage: HTMLElement) => boolean {
  let lastScrollMs = -Infinity
  return ({ target, timeStamp, ctrlKey }, stage) => {
    const mayScroll = !(target as Element).closest('.plot') || timeStamp - lastScrollMs < ONE_GESTURE_MS
    if (!mayScroll || ctrlKey || stage.scrollHeight <= stage.clientHeight) return false
    lastScrollMs = timeStamp
    return true
  }
}

/** Creates the wheel handler, which zooms about the pointer, or pans if scrolled sideways. */
function wheelHandler(
  view: RangeControl,
  plotPx: () => number,
  timeAtPointer: (event: WheelEvent) => number,
): (event: WheelEvent) => void {
  let lastWheelMs = -Infinity
  return (event) => {
    const range = view.range.value
    const isSameGesture = event.timeStamp - lastWheelMs < ONE_GESTURE_MS
    lastWheelMs = event.timeStamp
    const pxPerUnit = event.deltaMode === 1 ? 16 : 1
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
    if (isSideways) {
      const byPx = (event.deltaX || event.deltaY) * pxPerUnit
      return view.show(panRange(range, (byPx / plotPx()) * (range.endMs - range.startMs)), isSameGesture)
    }
    // Browsers report a pinch on a touch pad as wheel events with ctrl, in finer steps.
    const byPx = event.deltaY * pxPerUnit
    const zoomPerPx = event.ctrlKey && Math.abs(byPx) < MOST_PINCH_PX ? ZOOM_PER_PINCH_PX : ZOOM_PER_WHEEL_PX
    view.show(zoomRange(range, timeAtPointer(event), Math.exp(byPx * zoomPerPx)), isSameGesture)
  }
}

/** Turns wheel, drag and pointer moves over the panes into ranges and times, which all panes share. */
export function useChartPointer(deps: {
  stage: Ref<HTMLElement | null>
  widths: () => PaneWidths
  view: RangeControl
  tool: () => ChartTool
  /** Tells whether the wheel alone should scroll the page. */
  isInPage: () => boolean
  onPoint(timeMs: number | null): void
  onMeasure(range: TimeRange, paneId: string): void
  onDraw(kind: DrawingKind, drag: Drag): void
}) {
  const { view } = deps
  const scrollsPanes = scrollTest()
  const drag = shallowRef<Drag | null>(null)
  /** Pane under the pointer and the vertical position in it; null outside of the panes and during a drag. */
  const level = shallowRef<{ paneId: string; yPx: number } | null>(null)
  let startX = 0
  let startClientY = 0
  let startRange: TimeRange = view.range.value
  let hasPanned = false

  const xOf = (event: MouseEvent) => {
    const stage = deps.stage.value!
    return (event.clientX - stage.getBoundingClientRect().left) / zoomOf(stage)
  }
  const timeOf = (x: number, range = view.range.value) => timeAtPx(x, deps.widths(), range)
  const isInside = (x: number) => {
    const { leftPx, plotPx } = deps.widths()
    return x >= leftPx && x <= leftPx + plotPx
  }

  const onWheel = wheelHandler(
    view,
    () => deps.widths().plotPx,
    (event) => timeOf(xOf(event)),
  )

  function kindOf(event: PointerEvent): Drag['kind'] {
    if (event.button === 1 || event.shiftKey) return 'pan'
    return event.altKey || event.ctrlKey || event.metaKey ? 'measure' : deps.tool()
  }

  function onDown(event: PointerEvent): void {
    const x = xOf(event)
    if (event.button > 1 || !isInside(x)) return
    const pointedLevel = levelOf(event, deps.stage.value!)
    if (!pointedLevel) return
    if (event.button === 1) event.preventDefault()
    deps.stage.value!.setPointerCapture(event.pointerId)
    startX = x
    startRange = view.range.value
    hasPanned = false
    const timeMs = timeOf(x)
    const ends = { fromMs: timeMs, toMs: timeMs, fromY: pointedLevel.yPx, toY: pointedLevel.yPx }
    startClientY = event.clientY
    drag.value = { kind: kindOf(event), paneId: pointedLevel.paneId, ...ends }
  }

  function onLeave(): void {
    level.value = null
    if (!drag.value) deps.onPoint(null)
  }

  function onMove(event: PointerEvent): void {
    const x = xOf(event)
    const current = drag.value
    level.value = current || !isInside(x) ? null : levelOf(event, deps.stage.value!)
    if (current?.kind === 'pan') {
      const byMs = timeOf(startX, startRange) - timeOf(x, startRange)
      if (byMs !== 0) view.show(panRange(startRange, byMs), hasPanned)
      hasPanned ||= byMs !== 0
      return
    }
    const { leftPx, plotPx } = deps.widths()
    const timeMs = timeOf(Math.max(leftPx, Math.min(leftPx + plotPx, x)))
    const toY = (dragged: Drag) => dragged.fromY + (event.clientY - startClientY) / zoomOf(deps.stage.value!)
    if (current) drag.value = { ...current, toMs: timeMs, toY: toY(current) }
    deps.onPoint(current || isInside(x) ? timeMs : null)
  }

  function onUp(event: PointerEvent): void {
    const current = drag.value
    drag.value = null
    if (!current || current.kind === 'pan') return
    if (current.kind === 'level') return deps.onDraw('level', current)
    if (Math.abs(xOf(event) - startX) < LEAST_DRAG_PX) return
    const range = between(current.fromMs, current.toMs)
    if (current.kind === 'zoom') view.show(range)
    else if (current.kind === 'measure') deps.onMeasure(range, current.paneId)
    else deps.onDraw(current.kind, current)
  }

  /** Returns the time and the vertical position at the pointer; null outside of the plots. */
  function plotPointAt(event: MouseEvent): { timeMs: number; yPx: number } | null {
    const x = xOf(event)
    const pointedLevel = levelOf(event, deps.stage.value!)
    return pointedLevel && isInside(x) ? { timeMs: timeOf(x), yPx: pointedLevel.yPx } : null
  }

  return {
    drag,
    level,
    plotPointAt,
    cancel: () => (drag.value = null),
    listeners: {
      wheel: (event: WheelEvent) => {
        if (deps.isInPage() && !event.ctrlKey && !event.metaKey && !event.shiftKey) return
        if (scrollsPanes(event, deps.stage.value!)) return
        event.preventDefault()
        onWheel(event)
      },
      pointerdown: onDown,
      pointermove: onMove,
      pointerup: onUp,
      pointercancel: () => (drag.value = null),
      pointerleave: onLeave,
      dblclick: (event: MouseEvent) => isInside(xOf(event)) && view.show(null),
    },
  }
}
