/** This file is the entry of the guarded process that parses large JSON bodies. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { readJson } from './parseResponse.ts'
import type { JsonTask } from './jsonReader.ts'

answerGuarded<JsonTask, unknown>(({ bytes, address }) => readJson(bytes, address))
