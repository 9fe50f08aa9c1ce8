import { basename } from 'node:path'
import { type LoadedReturnsFile, ReturnsError, type ReturnsTrouble } from '#core/record/returnsSource.ts'
import { MOST_LIST_CHARACTERS } from '#shared/contract/areas/lists.ts'
import { Failure } from '../failure.ts'
import { readGivenText } from '../givenText.ts'
import { failureText, usageText } from '../text/messages.ts'
import { UsageError } from '../usageError.ts'

interface OwnOptions {
  percent: boolean
  fraction: boolean
  cost?: string | undefined
  benchmark?: string | undefined
}

/** Reads the file of returns or weights that an option names. */
export function ownReturnsFile(path: string, { percent, fraction, cost, benchmark }: OwnOptions): LoadedReturnsFile {
  const unit = percent ? 'percent' : fraction ? 'fraction' : null
  return { file: basename(path), text: readGivenText(path, MOST_LIST_CHARACTERS), unit, cost: cost ?? null, benchmark }
}

/** Runs work on the user's own returns and turns its errors into messages for the command line. */
export async function withReturnsMessages<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw thrown instanceof ReturnsError ? returnsFailure(thrown.trouble) : thrown
  }
}

function returnsFailure(trouble: ReturnsTrouble): Error {
  switch (trouble.kind) {
    case 'unreadable':
      return new Failure(failureText.unreadableReturns(trouble.file, trouble.problems))
    case 'unit-needed':
      return new UsageError(usageText.unitNeeded(trouble.file))
    case 'cost-of-returns':
      return new UsageError(usageText.costOfReturns)
    case 'not-cost':
      return new UsageError(usageText.notCost(trouble.typed))
  }
}
