import { answerTasks } from '#core/threads/answerTasks.ts'
import { distributionOf } from './distributionOf.ts'
import { evaluateColumns } from './evaluateColumns.ts'
import { readFundingEvidence } from './fundingEvidence.ts'
import type { ReaderResult, ReaderTask } from './readerTask.ts'
import { readOverview, scanColumns } from './reduceSeries.ts'
import { readSeries } from './readSeries.ts'
import { relationshipsOf } from './relationshipsOf.ts'
import { statisticsOf } from './statisticsOf.ts'
import { summariseFile } from './fileSummary.ts'

/** Entry of the thread that reads series and computes with them. */

function work({ name, task }: ReaderTask): ReaderResult {
  switch (name) {
    case 'rows':
      return readSeries(task)
    case 'overview':
      return readOverview(task)
    case 'formula':
      return evaluateColumns(task)
    case 'statistics':
      return statisticsOf(task)
    case 'distribution':
      return distributionOf(task)
    case 'relationships':
      return relationshipsOf(task)
    case 'summary':
      return summariseFile(task)
    case 'scan':
      return scanColumns(task)
    case 'funding':
      return readFundingEvidence(task)
  }
}

answerTasks<ReaderTask, ReaderResult>(work, buffersIn)

/**
 * Lists the buffers of all typed arrays in a result, each once; they are transferred to the other thread instead of
 * being copied.
 */
function buffersIn(result: unknown): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>()
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) {
      if (value.buffer instanceof ArrayBuffer) buffers.add(value.buffer)
    } else if (Array.isArray(value)) value.forEach(visit)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  visit(result)
  return [...buffers]
}
