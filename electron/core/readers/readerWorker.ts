/** Thread entry: reads parts of series, and what is made of them. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { buffersIn } from './buffersIn.ts'
import { evaluateColumns } from './evaluateColumns.ts'
import { readOverview } from './readOverview.ts'
import type { ReaderResult, ReaderTask } from './readerTask.ts'
import { readSeries } from './readSeries.ts'
import { scanColumns } from './scanColumns.ts'
import { summariseFile } from './summariseFile.ts'
import { statisticsOf } from './statisticsOf.ts'

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
    case 'summary':
      return summariseFile(task)
    case 'scan':
      return scanColumns(task)
  }
}

answerTasks<ReaderTask, ReaderResult>(work, buffersIn)
