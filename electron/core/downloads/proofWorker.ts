/** Thread entry: takes files in. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { proveFile, type Proof } from './proof.ts'
import type { ProofTask } from './proofPool.ts'
import { takeIn } from './takeIn.ts'

answerTasks<ProofTask, Proof>((task) =>
  task.kind === 'prove' ? proveFile(task.path, undefined, task.deep) : takeIn(task.task),
)
