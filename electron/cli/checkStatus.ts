import type { RanCheck } from '#shared/contract/areas/inbox.ts'
import { exit, type ExitStatus } from './command.ts'

/**
 * Returns the exit status of a run of checks. A check that could not be evaluated outweighs a hit, because a script
 * must not mistake an error for a complete result.
 */
export function checkStatus(checks: readonly Pick<RanCheck, 'state'>[]): ExitStatus {
  if (checks.some(({ state }) => state === 'not evaluable')) return exit.partial
  return checks.some(({ state }) => state === 'hit') ? exit.hit : exit.done
}
