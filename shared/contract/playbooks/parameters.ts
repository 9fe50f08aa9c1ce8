import { isRecord } from '../../schemas/isRecord.ts'
import { dayOf, MS_PER_DAY } from '../../time.ts'
import type { BoardDocument, BoardParameters, BoardPart } from '../areas/boards.ts'

/** Keys of documents whose texts are values of a parameter; lists stand for one value in them. */
const keysOf: Readonly<Record<'venue' | 'symbol' | 'interval' | 'portfolio', readonly string[]>> = {
  venue: ['venue', 'exchange', 'exchanges'],
  symbol: ['symbol', 'symbols'],
  interval: ['interval'],
  portfolio: ['portfolio'],
}
type TextParameter = keyof typeof keysOf
const textParameters = Object.keys(keysOf) as TextParameter[]

/** Replaces what stands for the old parameters under the keys that name them, wherever a document has them. */
function replaced(value: unknown, key: string, before: BoardParameters, after: BoardParameters): unknown {
  if (Array.isArray(value)) return value.map((each) => replaced(each, key, before, after))
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaced(each, name, before, after)]))
  const parameter = textParameters.find((name) => keysOf[name].includes(key) && before[name] === value)
  return (parameter && after[parameter]) ?? value
}

/** Gives a board other parameters; its charts and studies then are about the last `days` whole days. */
export function withParameters(
  document: BoardDocument,
  change: Partial<BoardParameters>,
  nowMs: number,
): BoardDocument {
  const before = document.parameters ?? {}
  const after = { ...before, ...change }
  const { parts } = replaced({ parts: document.parts }, '', before, after) as Pick<BoardDocument, 'parts'>
  const { days } = after
  const dated =
    days === undefined ? parts : parts.map((part) => ({ ...part, content: overDays(part.content, days, nowMs) }))
  // A part that is about something else now is no longer what its source shows.
  const linked = dated.map((part, at) => (isSame(part.content, document.parts[at].content) ? part : unlinked(part)))
  return { ...document, parts: linked, parameters: after }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Takes a part from its source, so that it stays as it is. */
export function unlinked({ source: _, ...part }: BoardPart): BoardPart {
  return part
}

type Content = BoardDocument['parts'][number]['content']

/** First and last day of the last whole days, in UTC. */
export function lastDays(days: number, nowMs: number): { start: string; end: string } {
  const lastMs = nowMs - MS_PER_DAY
  return { start: dayOf(lastMs - (days - 1) * MS_PER_DAY), end: dayOf(lastMs) }
}

function overDays(content: Content, days: number, nowMs: number): Content {
  if (content.kind === 'study' && isRecord(content.document))
    return { ...content, document: { ...content.document, ...lastDays(days, nowMs) } }
  if (content.kind !== 'workbench') return content
  const endMs = Math.floor(nowMs / MS_PER_DAY) * MS_PER_DAY
  return { ...content, document: { ...content.document, range: { startMs: endMs - days * MS_PER_DAY, endMs } } }
}
