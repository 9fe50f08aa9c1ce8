import { OwnColumns } from '#core/own/ownPlan.ts'
import { ownSeriesName } from '#shared/formula/ownData.ts'
import type { Panel, PanelColumn } from '#shared/lab/panel.ts'
import type { StudyPanel } from '#shared/lab/studyPanel.ts'
import type { CachePlan } from './cachePlan.ts'

type PanelGrid = Pick<Panel, 'intervalMs' | 'firstSlot' | 'timeCount' | 'symbols'>

/** Reads the own columns of a plan on the grid of its panel, beside the panel's symbols. */
function ownColumnsOf({ own = [], symbols: planned }: CachePlan, panel: PanelGrid): OwnColumns {
  const byName = new Map(planned.map((each) => [each.name, each]))
  const { intervalMs, firstSlot, timeCount: rows } = panel
  return new OwnColumns(
    own,
    { intervalMs, firstSlot, rows },
    panel.symbols.map((name) => byName.get(name)!),
  )
}

/** Adds the own columns of a plan to a panel, which reads them when a formula asks for them. */
export function withOwnSeries(panel: StudyPanel, plan: CachePlan): StudyPanel {
  if (!plan.own) return panel
  const own = ownColumnsOf(plan, panel)
  return {
    ...panel,
    seriesNames: [...panel.seriesNames, ...own.names],
    series: (name, symbol) => own.series(name, symbol) ?? panel.series(name, symbol),
  }
}

/** Adds the own columns of a plan to a panel in memory; rows that several symbols share are kept once. */
export function withOwnColumns(panel: Panel, plan: CachePlan): Panel {
  if (!plan.own) return panel
  const own = ownColumnsOf(plan, panel)
  const columns = own.names.map((name): [string, PanelColumn] => [name, panelColumn(own, name, panel)])
  return { ...panel, columns: new Map([...panel.columns, ...columns]) }
}

function panelColumn(own: OwnColumns, name: string, { symbols, timeCount, intervalMs, firstSlot }: Panel): PanelColumn {
  const series = symbols.map((_, symbol) => own.series(name, symbol)!)
  const distinct = [...new Set(series)]
  const from = new Map(distinct.map((each, at) => [each, at * timeCount]))
  const column = {
    values: new Float64Array(distinct.length * timeCount),
    valid: new Uint8Array(distinct.length * timeCount),
  }
  distinct.forEach(({ values, valid }, at) => {
    column.values.set(values, at * timeCount)
    if (valid) column.valid.set(valid, at * timeCount)
    else column.valid.fill(1, at * timeCount, (at + 1) * timeCount)
  })
  const grids = series.map((each) => ({ intervalMs, firstSlot, rows: timeCount, from: from.get(each)! }))
  return { ...column, grids }
}

/** Returns the units of the own columns of a plan by their names in formulas. */
export const ownUnits = ({ own = [] }: CachePlan): ReadonlyMap<string, string | null> =>
  new Map(
    own.flatMap(({ name, columns, units }) =>
      columns.map((column) => [ownSeriesName({ name, column }), units[column] ?? null] as const),
    ),
  )
