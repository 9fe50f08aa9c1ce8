/** A guarded process that computes nothing and ends, as one does that reads a poisonous file. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'

answerGuarded<unknown, never>(() => process.abort())
