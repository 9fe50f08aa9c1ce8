import type { RouteLocationRaw } from 'vue-router'
import { isStoredDataset } from '#shared/catalog/testedDatasets.ts'
import { canBeFilled, scaleNames } from '#shared/workspace/chartStyle.ts'
import { changePane, fillSeries, lockAxis, removePane } from '#shared/workspace/edit.ts'
import { isShownAsPercent } from '#shared/units/numberKinds.ts'
import { formatTime, zoneName, type Zone } from '#shared/units/instants.ts'
import type { MenuSubject } from '../../charts/drawings.ts'
import type { Threshold } from '#shared/workspace/chartStudies.ts'
import type { WorkspacePane } from '#shared/workspace/workspaceSchema.ts'
import type { PaneView } from '../../charts/paneView.ts'
import { valueText } from '../../charts/readout.ts'
import type { MenuItem } from '../../components/MenuList.vue'
import { workbenchText } from '../../text/workbench.ts'
import { eventsLink } from '../../widgets/seriesLinks.ts'
import { paneMarks } from './paneMarks.ts'
import type { OpenDialog, WorkbenchActions } from './useWorkbenchActions.ts'

const { menu: text } = workbenchText

/** Target of a chart's menu, with the menu's position in the window. */
export interface OpenChartMenu extends MenuSubject {
  x: number
  y: number
}

type ChartMenuAction = MenuItem & { run(): unknown }

interface MenuContext {
  actions: WorkbenchActions
  zone: Zone
  copy(text: string): unknown
  showAll(): void
  open(address: RouteLocationRaw): unknown
  /** Opens a study of the times at which a series reaches a value. */
  studyEvents(seriesId: string, threshold: Threshold): unknown
  /** The pane in the document. */
  pane: WorkspacePane | undefined
  /** Command that opens a pane in its own window. */
  ownWindow: { title: string; open(paneId: string): void }
}

/** Builds the commands of a pane's menu. */
export function chartMenuActions(subject: MenuSubject, context: MenuContext): ChartMenuAction[] {
  const { view, timeMs } = subject
  const { actions, zone } = context
  const timeText = `${formatTime(timeMs, zone, 'second')} ${zoneName(zone)}`
  const valueAtPointer = shownValue(subject)
  return [
    ...(valueAtPointer === null
      ? []
      : [{ id: 'copyValue', title: text.copy(valueAtPointer), run: () => context.copy(valueAtPointer) }]),
    { id: 'copyTime', title: text.copy(timeText), run: () => context.copy(timeText) },
    ...eventActions(subject, context),
    { id: 'note', title: text.note, hint: 'N', hasSeparator: true, run: () => actions.promptNote(timeMs) },
    ...(valueAtPointer === null
      ? []
      : [{ id: 'level', title: text.level(valueAtPointer), hint: 'L', run: () => drawLevel(subject, actions) }]),
    ...fillActions(subject, context, valueAtPointer),
    ...scaleActions(view, actions),
    ...axisActions(view, actions),
    {
      id: 'condition',
      title: text.condition,
      hint: 'S',
      hasSeparator: true,
      run: () => actions.promptCondition(view.pane.id),
    },
    { id: 'all', title: text.showAll, hint: '0', hasSeparator: true, run: context.showAll },
    { id: 'apart', title: context.ownWindow.title, run: () => context.ownWindow.open(view.pane.id) },
    { id: 'add', title: text.addSeries, run: () => actions.promptSeries(view.pane.id) },
    {
      id: 'remove',
      title: workbenchText.series.removePane,
      run: () => actions.edit((before) => removePane(before, view.pane.id)),
    },
  ]
}

/** Leads to the raw events behind the pane, and to a study of such times; nothing if no series of it has a symbol. */
function eventActions(subject: MenuSubject, { pane, open, studyEvents }: MenuContext): ChartMenuAction[] {
  const { timeMs } = subject
  const [source] = (pane?.series ?? []).flatMap((entry) =>
    entry.source.kind === 'column' && !isStoredDataset(entry.source.dataset) ? entry.source : [],
  )
  if (!source) return []
  const { dataset, exchange, symbol, timestamp } = source
  const event = eventAtPointer(subject)
  return [
    {
      id: 'trades',
      title: text.trades,
      run: () => open(eventsLink({ dataset: 'trades', exchange, symbol }, timeMs, 'tape')),
    },
    {
      id: 'compute',
      title: text.compute,
      run: () => open({ path: '/raw/compute', query: { exchange, symbol, metric: dataset, timestamp } }),
    },
    ...(event
      ? [{ id: 'events', title: text.eventStudy(event), run: () => studyEvents(event.seriesId, event.threshold) }]
      : []),
  ]
}

interface PointedEvent {
  seriesId: string
  /** Name of the series in formulas. */
  name: string
  threshold: Threshold
  /** The value as the axis shows it. */
  value: string
}

/** Digits of the value at the pointer that an event goes by: a place on the screen has no more. */
const POINTED_DIGITS = 6

/** Describes the event that a series is as far from its middle as the pointer is; null where no value is shown. */
function eventAtPointer({ view, side, value }: MenuSubject): PointedEvent | null {
  const shown = view.series.find((each) => each.side === side && each.showsOwnQuantity)
  if (!shown || value === null) return null
  const { series, bounds, affine } = shown
  return {
    seriesId: series.id,
    name: series.label.split(' ', 1)[0],
    threshold: {
      side: value >= (bounds[0] + bounds[1]) / 2 ? '>=' : '<=',
      value: Number(((value - affine.offset) / affine.factor).toPrecision(POINTED_DIGITS)),
    },
    value: valueText(shown, value),
  }
}

/** Formats the value at the menu's position in the unit of its axis; null if there is no value. */
function shownValue({ view, side, value }: MenuSubject): string | null {
  const seriesOnAxis = view.series.find((each) => each.side === side)
  return seriesOnAxis && value !== null ? valueText(seriesOnAxis, value) : null
}

function drawLevel({ view, side, value }: MenuSubject, actions: WorkbenchActions): void {
  const unit = view.axes[side]?.units[0]
  if (unit !== undefined && value !== null)
    actions.draw({ kind: 'level', paneId: view.pane.id, label: '', side, unit, value })
}

/** Offers what the lines of the pane can be filled to; at the pointer also its value. */
function fillActions(
  { view, side, value }: MenuSubject,
  { actions, pane }: MenuContext,
  valueAtPointer: string | null,
): ChartMenuAction[] {
  const first = view.series.find((each) => each.side === side && canBeFilled(each.style))
  const unit = view.axes[side]?.units[0]
  const marks = pane ? paneMarks(pane) : []
  return [
    ...marks.map(({ change, ...mark }, at) => ({
      ...mark,
      isToggle: true,
      hasSeparator: at === 0 || mark.hasSeparator === true,
      run: () => actions.edit(change),
    })),
    ...(first && unit !== undefined && value !== null && valueAtPointer !== null
      ? [
          {
            id: 'fill-level',
            title: text.fillToLevel(first.series.label.split(' ', 1)[0], valueAtPointer),
            run: () => actions.edit((before) => fillSeries(before, first.series.id, { to: 'level', value, unit })),
          },
        ]
      : []),
  ]
}

function scaleActions({ pane }: PaneView, actions: WorkbenchActions): ChartMenuAction[] {
  const scales = scaleNames.map((scale, at) => ({
    id: scale,
    title: text.scales[scale],
    checked: pane.scale === scale,
    hasSeparator: at === 0,
    run: () => actions.edit((before) => changePane(before, pane.id, { scale })),
  }))
  const robustAction = {
    id: 'robust',
    title: text.robust,
    checked: pane.robust === true,
    isToggle: true,
    hasSeparator: true,
    run: () => actions.edit((before) => changePane(before, pane.id, { robust: !pane.robust })),
  }
  return [...scales, robustAction]
}

function axisActions(view: PaneView, actions: WorkbenchActions): ChartMenuAction[] {
  const { pane, axes } = view
  return (['left', 'right'] as const).flatMap((side) => {
    const axis = axes[side]
    if (!axis || axis.ticks.length === 0) return []
    const [low, high] = axis.bounds
    const isLocked = axis.cut === 'locked'
    const bounds = isLocked ? null : { low, high, unit: axis.units[0] }
    return [
      {
        id: `lock-${side}`,
        title: text.lock(side),
        checked: isLocked,
        isToggle: true,
        run: () => actions.edit((before) => lockAxis(before, pane.id, side, bounds)),
      },
      { id: `set-${side}`, title: text.setAxis(side), run: () => (actions.dialog.value = axisDialog(view, side)) },
    ]
  })
}

/**
 * Builds the dialog request for the bounds of an axis, with the factor from values to the numbers that the axis shows.
 */
function axisDialog(view: PaneView, side: 'left' | 'right'): OpenDialog {
  const axis = view.axes[side]!
  const seriesOnAxis = view.series.find((each) => each.side === side)
  const factor = seriesOnAxis && isShownAsPercent(seriesOnAxis.kind) ? 100 : 1
  return { kind: 'axis', paneId: view.pane.id, side, unit: axis.units[0], bounds: axis.bounds, factor }
}
