/** A change of a text by a key: what takes the place of a part, and the selection after it. */
export interface KeyEdit {
  from: number
  to: number
  text: string
  selection: readonly [from: number, to: number]
}

const INDENT = '  '
const pairs: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }
const quotes = ["'", '"']

/** Says what a key changes in an editor beyond its own letter: indents, brackets and quotes. Null where it is an ordinary key. */
export function keyEdit(
  text: string,
  [from, to]: readonly [number, number],
  { key, shiftKey }: Pick<KeyboardEvent, 'key' | 'shiftKey'>,
): KeyEdit | null {
  const selected = text.slice(from, to)
  if (key === 'Tab')
    return shiftKey || selected.includes('\n') ? indented(text, [from, to], shiftKey) : inserted(from, to)
  if (key === 'Backspace') return emptyPair(text, from, to)
  const next = text.charAt(to)
  if (from === to && Object.values(pairs).includes(key) && next === key)
    return { from, to, text: '', selection: [to + 1, to + 1] }
  const closing = pairs[key] ?? (quotes.includes(key) && selected !== '' ? key : undefined)
  if (closing === undefined || (selected === '' && /[\p{L}\p{N}_$'"]/u.test(next))) return null
  return { from, to, text: key + selected + closing, selection: [from + 1, to + 1] }
}

const inserted = (from: number, to: number): KeyEdit => ({
  from,
  to,
  text: INDENT,
  selection: [from + INDENT.length, from + INDENT.length],
})

/** Moves the selected lines by one indent; a line at the margin stays there. */
function indented(text: string, [from, to]: readonly [number, number], isBack: boolean): KeyEdit {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const lines = text.slice(start, to).split('\n')
  const moved = lines.map((line) => (isBack ? line.replace(/^(?: {1,2}|\t)/, '') : line === '' ? line : INDENT + line))
  const first = moved[0].length - lines[0].length
  const all = moved.join('\n')
  return { from: start, to, text: all, selection: [Math.max(start, from + first), start + all.length] }
}

/** Removes both brackets of a pair that has nothing inside. */
function emptyPair(text: string, from: number, to: number): KeyEdit | null {
  const isEmpty = from === to && from > 0 && pairs[text[from - 1]] === text.charAt(from)
  return isEmpty ? { from: from - 1, to: from + 1, text: '', selection: [from - 1, from - 1] } : null
}

/** A text with the selection in it. */
export interface SelectedText {
  text: string
  start: number
  end: number
}

/** Moves the lines of a selection up or down by one; null where there is no room. */
export function movedLines({ text, start, end }: SelectedText, by: -1 | 1): SelectedText | null {
  const lines = text.split('\n')
  const lineAt = (place: number) => text.slice(0, place).split('\n').length - 1
  const first = lineAt(start)
  const last = lineAt(Math.max(start, end - (end > start && text[end - 1] === '\n' ? 1 : 0)))
  const target = by < 0 ? first - 1 : last + 1
  if (target < 0 || target >= lines.length) return null
  const [moved] = lines.splice(target, 1)
  lines.splice(by < 0 ? last : first, 0, moved)
  const shift = by * (moved.length + 1)
  return { text: lines.join('\n'), start: start + shift, end: end + shift }
}
