import type { FileToRead } from '#core/series/readerTask.ts'
import { openValidated } from '#core/series/readSeries.ts'
import { answerTasks } from '#core/threads/answerTasks.ts'
import type { OnProgress } from '#core/threads/taskQueue.ts'
import type { RawDatasetId } from '#shared/catalog/rawDatasets.ts'
import type { EventConditions, EventLatency } from '#shared/contract/areas/raw.ts'
import { readConditions } from './eventConditions.ts'
import { type EventPage, type EventTable, readEventRows, seekEvent } from './eventRows.ts'
import { type LatencyTask, readLatency } from './latency.ts'

/** Entry of a thread that works on raw-event files. */

answerTasks<RawTask, RawResult>(runRawTask)

/** Tasks on raw-event files by name, each with its input and its result. */
export interface RawTasks {
  conditions: { input: FileToRead & { dataset: RawDatasetId }; result: EventConditions }
  rows: { input: EventTable & { offset: number; limit: number }; result: EventPage }
  seek: { input: EventTable & { timeMs: number; timeColumn: string }; result: number }
  latency: { input: LatencyTask; result: EventLatency }
}

export type RawTask = { [Kind in keyof RawTasks]: { kind: Kind; input: RawTasks[Kind]['input'] } }[keyof RawTasks]
export type RawResult = RawTasks[keyof RawTasks]['result']

function runRawTask(task: RawTask, onProgress: OnProgress): RawResult {
  switch (task.kind) {
    case 'conditions': {
      using file = openValidated(task.input)
      return readConditions(file, task.input.dataset, (rows) => onProgress(rows, file.rows)).conditions
    }
    case 'rows':
      return readEventRows(task.input)
    case 'seek':
      return seekEvent(task.input)
    case 'latency':
      return readLatency(task.input)
  }
}
