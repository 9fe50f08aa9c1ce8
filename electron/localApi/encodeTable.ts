import { jsonCell, uniqueNames } from '#core/sql/resultFile.ts'
import type { LocalApiTable } from './answers.ts'

export const ARROW_STREAM = 'application/vnd.apache.arrow.stream'

/** Tells whether a request accepts Arrow. */
export const acceptsArrow = (accept: string | undefined): boolean =>
  (accept ?? '').split(',').some((each) => each.split(';')[0].trim().toLowerCase() === ARROW_STREAM)

/** Encodes a table page by page as an Arrow IPC stream; the schema metadata has the provenance. */
export async function* encodeArrow({ columns, provenance, pages }: LocalApiTable): AsyncGenerator<Uint8Array> {
  const { ArrowResult } = await import('#core/sql/resultArrow.ts')
  const encoder = new ArrowResult(columns, { isStream: true })
  yield encoder.head(JSON.stringify(provenance))
  for await (const frame of pages()) yield await encoder.rows(frame)
  yield await encoder.end()
}

/** Number of rows in one text; a page of long texts would be longer than a text may be. */
const ROWS_AT_ONCE = 1000

/** Encodes a table page by page as one JSON document. */
export async function* encodeJson({ columns, provenance, pages }: LocalApiTable): AsyncGenerator<string> {
  const names = uniqueNames(columns)
  const keys = names.map((name) => JSON.stringify(name))
  const facts = columns.map(({ type, unit, warning }, index) => ({ name: names[index], type, unit, warning }))
  yield `{"columns":${JSON.stringify(facts)},"rows":[`
  let isFirst = true
  for await (const frame of pages()) {
    for (let from = 0; from < frame.rows; from += ROWS_AT_ONCE) {
      const rows = Array.from({ length: Math.min(ROWS_AT_ONCE, frame.rows - from) }, (_, at) => {
        const cells = frame.columns.map(
          (column, index) => `${keys[index]}:${jsonCell(column, columns[index], from + at)}`,
        )
        return `{${cells.join(',')}}`
      })
      yield `${isFirst ? '' : ','}\n${rows.join(',\n')}`
      isFirst = false
    }
  }
  yield `],"provenance":${JSON.stringify(provenance)}}\n`
}
