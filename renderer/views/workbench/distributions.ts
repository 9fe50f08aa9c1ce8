import { computed, type ComputedRef } from 'vue'
import type { Distribution } from '#shared/contract/areas/series.ts'
import { type DistributedSeries, distributedSeries, distributionCharts } from '#shared/report/distributionCharts.ts'
import type { ReportChart } from '#shared/report/reportContent.ts'
import type { DistributionKind } from '#shared/workspace/chartStyle.ts'
import { expandEntry, hasValues } from '#shared/workspace/expandFormula.ts'
import { allSeries } from '#shared/workspace/workspace.ts'
import type { ColumnSource, SeriesEntry, WorkspaceContent } from '#shared/workspace/workspaceSchema.ts'
import { UNIT_UNKNOWN } from '#shared/units/measureUnits.ts'
import { kindOfUnit } from '#shared/units/numberKinds.ts'
import { useSeries } from '../../stores/series.ts'
import { type CatalogFacts, columnFacts, seriesLabel } from './chartModel.ts'
import { inputsOf, type useSeriesData } from './seriesData.ts'
import { useOfView } from './ofView.ts'

/** A pane that shows a distribution, with the entries and the answer that it is drawn from. */
interface Distributed {
  by: DistributionKind
  entries: readonly SeriesEntry[]
  answer: Distribution
}

/** Computes the distributions that panes show of the values in view, and builds their charts by pane. */
export function useDistributions(
  seriesData: Pick<ReturnType<typeof useSeriesData>, 'loadedOf' | 'view' | 'extent'>,
  document: () => WorkspaceContent,
  catalog: CatalogFacts,
): ComputedRef<ReadonlyMap<string, readonly ReportChart[]>> {
  const series = useSeries()
  const answers = useOfView(() => {
    const all = allSeries(document())
    const { startMs, endMs } = seriesData.view.value
    const originMs = seriesData.extent.value?.startMs ?? null
    return document().panes.flatMap(({ id, distribution: by, series: listed }) => {
      const expanded = by ? listed.filter(hasValues).flatMap((entry) => formulaOf(entry, all)) : []
      if (!by || expanded.length === 0) return []
      const entries = expanded.map(({ entry }) => entry)
      const input = {
        ...{ by, startMs, endMs, originMs },
        formulas: expanded.map(({ entry, formula }) => ({ name: entry.name, formula })),
        inputs: inputsOf(Object.assign({}, ...expanded.map(({ columns }) => columns)) as Record<string, ColumnSource>),
      }
      const wholes = entries.map((entry) => seriesData.loadedOf(entry.id).whole)
      if (wholes.includes(null)) return []
      const read = async (signal: AbortSignal): Promise<Distributed> => ({
        ...{ by, entries },
        answer: await series.distribution(input, signal),
      })
      return [{ id, key: JSON.stringify(input), dependsOn: wholes, read }]
    })
  })
  return computed(() => new Map([...answers.value].map(([id, distributed]) => [id, chartsOf(distributed, catalog)])))
}

function formulaOf(entry: SeriesEntry, all: readonly SeriesEntry[]) {
  const expanded = expandEntry(entry, all)
  return 'problem' in expanded ? [] : [{ entry, ...expanded }]
}

function chartsOf({ by, entries, answer }: Distributed, catalog: CatalogFacts): ReportChart[] {
  if (answer.problem) return []
  const series = entries.map((entry, at) => distributedOf(entry, answer.series[at].unit, catalog))
  return distributionCharts(by, answer, series)
}

/** Describes a series as the charts name it, in the unit in which the workspace shows it. */
function distributedOf(entry: SeriesEntry, computedUnit: string | null, catalog: CatalogFacts): DistributedSeries {
  const facts = entry.source.kind === 'column' ? columnFacts(catalog, entry.source) : null
  const unit = computedUnit ?? facts?.unit ?? UNIT_UNKNOWN
  const kind = facts?.kind ?? kindOfUnit(unit) ?? 'statistic'
  const label = `${entry.name}  ${seriesLabel(entry, catalog)}`
  return distributedSeries(entry, { label, unit, kind })
}
