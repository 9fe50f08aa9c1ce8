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

/** Names the field before its values, unless both say it themselves, as `10 buckets` does. */
const fieldBefore = ({ label, before, after }: FieldDifference): string =>
  [before, after].every((value) => value?.toLowerCase().endsWith(` ${label.toLowerCase()}`)) ? '' : `${label} `

/** Says what a trial changed, such as `No-trade band 0 % → 2 %`. */
export const changesText = (before: LabDocument, after: LabDocument): string[] =>
  differences(before, after).map((each) => `${fieldBefore(each)}${each.before ?? '–'} → ${each.after ?? '–'}`)

/** Characters that the mark of a change has room for. */
const ROOM = 34

const words = (value: string) => value.match(/[\w.]+|\s+|[^\w\s]/g) ?? []

/** Cuts what two values share at their beginnings and ends, but a word where nothing would be left of one. */
function apart(before: string, after: string): [string, string] {
  const [was, now] = [words(before), words(after)]
  const shortest = Math.min(was.length, now.length)
  let start = 0
  while (start < shortest && was[start] === now[start]) start += 1
  let end = 0
  while (end < shortest - start && was.at(-1 - end) === now.at(-1 - end)) end += 1
  if (start + end === shortest) {
    if (start > 0)
      start = Math.max(
        0,
        was.slice(0, start).findLastIndex((word) => /\w/.test(word)),
      )
    else end -= 1
  }
  const cut = (all: string[]) =>
    `${start > 0 ? '…' : ''}${all.slice(start, all.length - end).join('')}${end > 0 ? '…' : ''}`
  return [cut(was), cut(now)]
}

/** Says the first change of a trial so that what differs has room, such as `Signal …24… → …48…`; null without one. */
export function changeMark(before: LabDocument, after: LabDocument): string | null {
  const [first] = differences(before, after)
  if (!first) return null
  const whole = [first.before ?? '–', first.after ?? '–'] as const
  const marks = [whole, apart(...whole)].map(([was, now]) => `${fieldBefore(first)}${was} → ${now}`)
  return marks.find((mark) => mark.length <= ROOM) ?? `${first.label} → ${apart(...whole)[1]}`
}

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
