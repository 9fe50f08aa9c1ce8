/** Runs a guarded process that ends without computing, like a process that reads a poisonous file. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'

answerGuarded<unknown, never>(() => process.abort())
