import { answerWork } from '#core/guard/answerWork.ts'
import { toAppError } from '#shared/contract/errors.ts'
import { type Converted, type ConvertTask, convertOwn } from './convertOwn.ts'
import { type ChangedRows, changedRows, type ChangedRowsTask } from './changedRows.ts'
import { type PageOfRows, pageOfRows, type RowsTask } from './pageOfRows.ts'
import { contentOf, headRows, PREVIEWED_BYTES } from './readOwnFiles.ts'

/** Entry of the thread or process that converts files of the user. */

answerWork<OwnWork, OwnAnswer>(work)

export type OwnWork =
  | { do: 'convert' | 'preview'; task: ConvertTask }
  | { do: 'compare'; task: ChangedRowsTask }
  | { do: 'rows'; task: RowsTask }

/** A preview says why files cannot be added instead of failing, so that their rows can be shown beside it. */
export interface PreviewAnswer {
  head: string[][]
  converted: Converted | null
  problem: string | null
}

export type OwnAnswer = Converted | PreviewAnswer | ChangedRows | PageOfRows

async function work(wanted: OwnWork, onProgress: (done: number, total: number) => void): Promise<OwnAnswer> {
  if (wanted.do === 'compare') return changedRows(wanted.task)
  if (wanted.do === 'rows') return pageOfRows(wanted.task)
  if (wanted.do === 'convert') return convertOwn(wanted.task, onProgress)
  const [first] = wanted.task.files
  const head = headRows(first, contentOf(first, PREVIEWED_BYTES), wanted.task.preview!.shownRows)
  try {
    return { head, converted: await convertOwn(wanted.task, onProgress), problem: null }
  } catch (thrown) {
    const { code, detail } = toAppError(thrown)
    if (code !== 'bad-input') throw thrown
    return { head, converted: null, problem: detail ?? 'The file cannot be read.' }
  }
}
