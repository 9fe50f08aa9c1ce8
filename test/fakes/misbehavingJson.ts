/** Entry of a guarded process that reads JSON, and misbehaves where the first text of the document asks for it. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import type { JsonTask } from '#core/clients/jsonReader.ts'

const kept: Uint8Array[] = []

answerGuarded<JsonTask, unknown>(({ bytes }) => {
  const document = JSON.parse(new TextDecoder().decode(bytes)) as string[]
  const [word] = document
  if (word === 'abort') process.abort()
  for (; word === 'forever';);
  for (; word === 'memory';) kept.push(new Uint8Array(2 ** 23).fill(1))
  return document
})
