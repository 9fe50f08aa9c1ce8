import { parseSymbol } from '#shared/catalog/symbols.ts'
import { csvLine } from '#shared/units/csvCell.ts'

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

/** Turns pasted symbols without venues into lines of a list; null where the text has other shape, such as lines with a venue. */
export function pastedLines(text: string, venue: string): { lines: string; symbols: number; others: number } | null {
  if (/[,;\t|]/.test(text.split(/\r\n|\n|\r/, 1)[0]) && !parseSymbol(text.split(/[,;\t|\s]/, 1)[0])) return null
  const names = [...new Set(text.split(/[\s,;|"']+/).filter(Boolean))]
  const symbols = names.flatMap((name) => symbolOf(name) ?? [])
  if (symbols.length === 0) return null
  const lines = symbols.map((symbol) => csvLine([venue, symbol, null], 'exact')).join('')
  return { lines, symbols: symbols.length, others: names.length - symbols.length }
}

/** Completes `BTC-USDT:USDT` and `perpetual-BTC-USDT:USDT`; null for anything else. */
function symbolOf(name: string): string | null {
  for (const whole of [name, `perpetual-${name}`]) if (parseSymbol(whole)) return whole
  return null
}
