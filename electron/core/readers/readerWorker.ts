/** Thread entry: reads parts of series. */
import { answerTasks } from './answerTasks.ts'
import { readSeries } from './readSeries.ts'
import type { SeriesRows, SeriesTask } from './seriesTask.ts'

answerTasks<SeriesTask, SeriesRows>(readSeries, ({ frame }) =>
  frame.columns.flatMap(({ values, valid }) => [values.buffer, ...(valid ? [valid.buffer] : [])] as ArrayBuffer[]),
)
