import { fillSeries, showDistribution } from '#shared/workspace/edit.ts'
import { hasValues } from '#shared/workspace/expandFormula.ts'
import { canBeFilled, type DistributionKind, distributionKinds } from '#shared/workspace/chartStyle.ts'
import type { Fill, SeriesEntry, WorkspaceDocument, WorkspacePane } from '#shared/workspace/workspaceSchema.ts'
import { workbenchText } from '../../text/workbench.ts'

const { menu: text } = workbenchText

/** A command that changes what a pane draws, as its menu and the palette offer it. */
interface PaneMark {
  id: string
  title: string
  checked: boolean
  hasSeparator?: boolean
  change: (before: WorkspaceDocument) => WorkspaceDocument
}

/** Lists what a pane can show of its values, and what its first line can be filled to. */
export const paneMarks = (pane: WorkspacePane): PaneMark[] => [
  ...(pane.distribution ? [] : fillMarks(pane)),
  ...distributionMarks(pane),
]

/** Lists the distributions of a pane; some compare series, and so need two. */
export const distributionsOf = ({ distribution, series }: WorkspacePane): DistributionKind[] =>
  distributionKinds.filter(
    (kind) =>
      kind === distribution || (kind !== 'buckets' && kind !== 'symbols') || series.filter(hasValues).length > 1,
  )

const distributionMarks = (pane: WorkspacePane): PaneMark[] => {
  const { id, distribution } = pane
  return distributionsOf(pane).map((kind, at) => ({
    id: `distribution-${kind}`,
    title: text.distributions[kind],
    checked: distribution === kind,
    hasSeparator: at === 0,
    change: (before) => showDistribution(before, id, distribution === kind ? null : kind),
  }))
}

/** Lists the fills of the first line of a pane: to zero and to the second line. */
function fillMarks({ series }: WorkspacePane): PaneMark[] {
  const [first, second] = series.filter(({ hidden, style }) => !hidden && canBeFilled(style))
  if (!first) return []
  const isFilledTo = (other: SeriesEntry) => first.fill?.to === 'series' && first.fill.series === other.id
  return [
    fillMark(first, { to: 'zero' }, { title: text.fillToZero(first.name), isOn: first.fill?.to === 'zero' }),
    ...(second
      ? [
          fillMark(
            first,
            { to: 'series', series: second.id },
            { title: text.fillBetween(first.name, second.name), isOn: isFilledTo(second) },
          ),
        ]
      : []),
  ]
}

const fillMark = (entry: SeriesEntry, fill: Fill, { title, isOn }: { title: string; isOn: boolean }): PaneMark => ({
  id: `fill-${fill.to}`,
  title,
  checked: isOn,
  change: (before) => fillSeries(before, entry.id, isOn ? null : fill),
})
