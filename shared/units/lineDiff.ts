/** A row of a side-by-side comparison; a side is null if only the other text has a line there. */
interface DiffRow {
  left: string | null
  right: string | null
  isSame: boolean
}

/** Maximum size of the comparison table in cells; larger sections are shown side by side without matching. */
const MOST_CELLS = 4_000_000

/** Aligns the lines of two texts side by side, with equal ones in one row. */
export function lineDiff(left: string, right: string): DiffRow[] {
  const [a, b] = [linesOf(left), linesOf(right)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const sameRows = (lines: readonly string[]): DiffRow[] =>
    lines.map((line) => ({ left: line, right: line, isSame: true }))
  return [
    ...sameRows(a.slice(0, start)),
    ...changedRows(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...sameRows(a.slice(a.length - end)),
  ]
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))

/** Compares lines by their longest common subsequence. */
function changedRows(a: readonly string[], b: readonly string[]): DiffRow[] {
  if (a.length * b.length > MOST_CELLS) return sideBySide(a, b)
  const width = b.length + 1
  const commonLengths = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      commonLengths[i * width + j] =
        a[i] === b[j]
          ? commonLengths[(i + 1) * width + j + 1] + 1
          : Math.max(commonLengths[(i + 1) * width + j], commonLengths[i * width + j + 1])
  const rows: DiffRow[] = []
  let [i, j, fromI, fromJ] = [0, 0, 0, 0]
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      rows.push(...sideBySide(a.slice(fromI, i), b.slice(fromJ, j)), { left: a[i], right: b[j], isSame: true })
      i++
      j++
      fromI = i
      fromJ = j
    } else if (commonLengths[(i + 1) * width + j] >= commonLengths[i * width + j + 1]) i++
    else j++
  }
  return [...rows, ...sideBySide(a.slice(fromI), b.slice(fromJ))]
}

/** Pairs the lines of two different sections in order. */
const sideBySide = (a: readonly string[], b: readonly string[]): DiffRow[] =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, at) => ({
    left: a[at] ?? null,
    right: b[at] ?? null,
    isSame: false,
  }))

/**
 * Collapses equal lines that are far from a difference.
 * @returns rows, and numbers of collapsed rows between them
 */
export function foldRows(rows: readonly DiffRow[], context = 3): (DiffRow | number)[] {
  const isNear = rows.map(() => false)
  rows.forEach(({ isSame }, at) => {
    if (!isSame) isNear.fill(true, Math.max(0, at - context), at + context + 1)
  })
  const folded: (DiffRow | number)[] = []
  rows.forEach((row, at) => {
    const last = folded.at(-1)
    if (isNear[at]) folded.push(row)
    else if (typeof last === 'number') folded[folded.length - 1] = last + 1
    else folded.push(1)
  })
  return folded
}
