/** Thread entry: proves files. */
import { proveFile, type Proof } from '#core/downloads/proof.ts'
import { answerTasks } from '#core/readers/answerTasks.ts'

answerTasks<string, Proof>(proveFile)
