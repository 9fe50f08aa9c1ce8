import { type ChartSeries, type DrawingKind, rowAtOrAfter, rowAtOrBefore } from './model.ts'
import { between, panRange, zoomRange, type RangeControl } from './useRange.ts'

const PAN_SHARE = 0.15
const ZOOM_STEP = 0.7

/** Maps the keys of a focused chart to actions; `chartKeys` in the texts lists them for users. */
export function useChartKeys(deps: {
  view: RangeControl
  cursorMs: () => number | null
  series: () => readonly ChartSeries[]
  point(timeMs: number | null): void
  /** Starts or ends a measure or drawing at the cursor. */
  addPoint(kind: 'measure' | DrawingKind): void
  /** Makes the pane above (−1) or below (1) the active one. */
  changePane(by: 1 | -1): void
  menu(): void
  note(timeMs: number): void
  goToDate(): void
  toggleTable(): void
  escape(): void
}) {
  const { view } = deps
  const lengthMs = () => view.range.value.endMs - view.range.value.startMs
  const focusMs = () => deps.cursorMs() ?? (view.range.value.startMs + view.range.value.endMs) / 2
  const pan = (share: number) => view.show(panRange(view.range.value, lengthMs() * share))

  /** Moves the cursor to the next (1) or previous (−1) row of any series and scrolls it into view. */
  function step(by: 1 | -1): void {
    const fromMs = focusMs()
    const times = deps.series().flatMap(({ times: all }) => {
      const row = by > 0 ? rowAtOrAfter(all, fromMs + 1e-3) : rowAtOrBefore(all, fromMs - 1e-3)
      return all[row] ?? []
    })
    if (times.length === 0) return
    const nextMs = by > 0 ? Math.min(...times) : Math.max(...times)
    const { startMs, endMs } = view.range.value
    if (nextMs < startMs || nextMs > endMs)
      view.show(panRange(view.range.value, nextMs < startMs ? nextMs - startMs : nextMs - endMs))
    deps.point(nextMs)
  }

  const actions: Record<string, () => void> = {
    ArrowLeft: () => pan(-PAN_SHARE),
    ArrowRight: () => pan(PAN_SHARE),
    'Shift+ArrowLeft': () => step(-1),
    'Shift+ArrowRight': () => step(1),
    ArrowUp: () => view.show(zoomRange(view.range.value, focusMs(), ZOOM_STEP)),
    ArrowDown: () => view.show(zoomRange(view.range.value, focusMs(), 1 / ZOOM_STEP)),
    Home: () => view.show(between(view.extent.value.startMs, view.extent.value.startMs + lengthMs())),
    End: () => view.show(between(view.extent.value.endMs - lengthMs(), view.extent.value.endMs)),
    '0': () => view.show(null),
    Backspace: () => view.back(),
    'Shift+Backspace': () => view.forward(),
    m: () => deps.addPoint('measure'),
    l: () => deps.addPoint('level'),
    t: () => deps.addPoint('line'),
    r: () => deps.addPoint('range'),
    PageUp: () => deps.changePane(-1),
    PageDown: () => deps.changePane(1),
    ContextMenu: () => deps.menu(),
    'Shift+F10': () => deps.menu(),
    n: () => deps.note(focusMs()),
    g: () => deps.goToDate(),
    b: () => deps.toggleTable(),
    Escape: () => deps.escape(),
  }
  Object.assign(actions, {
    '+': actions.ArrowUp,
    '=': actions.ArrowUp,
    '-': actions.ArrowDown,
    _: actions.ArrowDown,
  })

  return (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const action = actions[event.shiftKey && name.length > 1 ? `Shift+${name}` : name]
    if (!action) return
    event.preventDefault()
    action()
  }
}
