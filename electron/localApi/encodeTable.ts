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

/** Encodes a table page by page as one JSON document. */
export async function* encodeJson({ columns, provenance, pages }: LocalApiTable): AsyncGenerator<string> {
  const names = uniqueNames(columns)
  const keys = names.map((name) => JSON.stringify(name))
  const facts = columns.map(({ type, unit, warning }, index) => ({ name: names[index], type, unit, warning }))
  yield `{"columns":${JSON.stringify(facts)},"rows":[`
  let isFirst = true
  for await (const frame of pages()) {
    const rows = Array.from(
      { length: frame.rows },
      (_, row) =>
        `{${frame.columns.map((column, index) => `${keys[index]}:${jsonCell(column, columns[index], row)}`).join(',')}}`,
    )
    if (rows.length === 0) continue
    yield `${isFirst ? '' : ','}\n${rows.join(',\n')}`
    isFirst = false
  }
  yield `],"provenance":${JSON.stringify(provenance)}}\n`
}
