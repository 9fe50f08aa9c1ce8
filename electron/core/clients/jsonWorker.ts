/** This file is the entry of a thread that parses large JSON bodies. */
import { answerTasks } from '#core/threads/answerTasks.ts'
import { readJson } from './parseResponse.ts'
import type { JsonTask } from './jsonReader.ts'

answerTasks<JsonTask, unknown>(({ bytes, ...options }) => readJson(bytes, options))
