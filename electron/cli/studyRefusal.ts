import { refusalOf, type StudyRefusal } from '#shared/contract/studyRefusal.ts'
import { exit, type ExitStatus, type Invocation } from './command.ts'

/** Prints the reason why a study was refused, in one sentence. */
export function printRefusal({ out }: Pick<Invocation, 'out'>, { refused, message }: StudyRefusal): ExitStatus {
  out.problem(message)
  return refused === 'study' ? exit.usage : exit.failed
}

/** Runs work and returns its exit status; if the work refuses its panel or study, prints the reason. */
export async function runOrPrintRefusal(
  invocation: Pick<Invocation, 'out'>,
  work: () => Promise<ExitStatus>,
): Promise<ExitStatus> {
  try {
    return await work()
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    return printRefusal(invocation, refusal)
  }
}
