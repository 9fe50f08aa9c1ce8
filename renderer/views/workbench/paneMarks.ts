import { fillSeries } from '#shared/workspace/edit.ts'
import { canBeFilled } from '#shared/workspace/chartStyle.ts'
import type { Fill, SeriesEntry, WorkspaceDocument, WorkspacePane } from '#shared/workspace/workspaceSchema.ts'
import { workbenchText } from '../../text/workbench.ts'

const { menu: text } = workbenchText

/** A command that changes what a pane draws, as its menu and the palette offer it. */
export interface PaneMark {
  id: string
  title: string
  checked: boolean
  change: (before: WorkspaceDocument) => WorkspaceDocument
}

/** Lists the fills of the first line of a pane: to zero and to the second line. */
export function paneMarks({ series }: WorkspacePane): PaneMark[] {
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
