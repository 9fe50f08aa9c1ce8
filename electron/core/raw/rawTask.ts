import type { OnDone } from '#core/threads/threadPool.ts'
import { inspectFile, type GivenIdentity, type Inspection } from './inspectFile.ts'

/** Work on files of raw events, for a thread. */
export interface RawTasks {
  inspect: { input: { path: string; given: GivenIdentity }; result: Inspection }
}

export type RawTask = { [Kind in keyof RawTasks]: { kind: Kind; input: RawTasks[Kind]['input'] } }[keyof RawTasks]
export type RawResult = RawTasks[keyof RawTasks]['result']

export function runRawTask({ input }: RawTask, onDone: OnDone): RawResult {
  return inspectFile(input.path, input.given, onDone)
}
