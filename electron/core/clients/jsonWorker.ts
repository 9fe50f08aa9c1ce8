/** Thread entry: reads large bodies of JSON. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { readJson } from './json.ts'
import type { JsonTask } from './jsonBody.ts'

answerTasks<JsonTask, unknown>(({ bytes, ...options }) => readJson(bytes, options))
