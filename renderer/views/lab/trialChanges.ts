import type { LabDocument } from '#shared/contract/areas/lab.ts'
import { documentDifferences, type FieldDifference } from '#shared/lab/documentDifferences.ts'
import { labText } from '../../text/lab.ts'

const { trials: text } = labText

/** Lists where two trials differ: in their panel files, and in the fields of their studies. */
function differences(before: LabDocument, after: LabDocument): FieldDifference[] {
  const [was, now] = [before, after].map(({ panel }) => panel?.path.split(/[/\\]/).at(-1) ?? text.noPanel)
  const panel = { field: 'panel', label: text.panel, before: was, after: now }
  return [...(was === now ? [] : [panel]), ...documentDifferences(before.study, after.study)]
}

/** Says what a trial changed, such as `No-trade band 0 % → 2 %`. */
export const changesText = (before: LabDocument, after: LabDocument): string[] =>
  differences(before, after).map((each) => `${each.label} ${each.before ?? '–'} → ${each.after ?? '–'}`)

/** Rows of the fields in which trials differ from the first of them: the label, and the value in each. */
export function differenceRows([first, ...others]: readonly LabDocument[]): string[][] {
  const found = others.map((other) => differences(first, other))
  const fields = new Map(found.flat().map((each) => [each.field, each]))
  return [...fields.values()].map(({ field, label, before }) => {
    const values = found.map((all) => {
      const different = all.find((each) => each.field === field)
      return different ? different.after : before
    })
    return [label, before ?? '–', ...values.map((value) => value ?? '–')]
  })
}
