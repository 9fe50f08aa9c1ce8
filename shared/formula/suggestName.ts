const MOST_EDITS = 2

/**
 * Returns the name that was probably meant: the nearest one within two edits that change at most half of the name; null
 * if there is none.
 */
export function suggestName(name: string, knownNames: Iterable<string>): string | null {
  let nearest: string | null = null
  let editLimit = Math.min(MOST_EDITS + 1, Math.ceil((name.length + 1) / 2))
  for (const other of knownNames) {
    if (Math.abs(other.length - name.length) >= editLimit) continue
    const edits = editsBetween(name.toLowerCase(), other.toLowerCase())
    if (edits >= editLimit) continue
    nearest = other
    editLimit = edits
  }
  return nearest
}

export const didYouMean = (name: string, knownNames: Iterable<string>): string => {
  const nearest = suggestName(name, knownNames)
  return nearest === null ? '' : ` Did you mean ${nearest}?`
}

function editsBetween(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, before[j] + 1, row[j - 1] + 1))
    }
    before = row
  }
  return before[b.length]
}
