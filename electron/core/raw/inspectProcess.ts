/** Entry of the guarded process that inspects files which the user wants to import. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import type { FileToInspect } from './guardedInspection.ts'
import { inspectFile, type Inspection } from './inspectFile.ts'

answerGuarded<FileToInspect, Inspection>(({ path, given }, onProgress) => inspectFile(path, given, onProgress))
