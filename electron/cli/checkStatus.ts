import type { RanCheck } from '#shared/contract/areas/inbox.ts'
import { exit, type ExitStatus } from './command.ts'

/** Exit statuses of the parts of a run, worst first. A part that failed or is incomplete outweighs a hit. */
const WORST_FIRST: readonly ExitStatus[] = [exit.interrupted, exit.usage, exit.failed, exit.partial, exit.hit]

/** Returns the worst exit status of the parts of a run, whatever their order. */
export const worstStatus = (statuses: readonly ExitStatus[]): ExitStatus =>
  WORST_FIRST.find((status) => statuses.includes(status)) ?? exit.done

/**
 * Returns the exit status of a run of checks. A check that could not be evaluated outweighs a hit, because a script
 * must not mistake an error for a complete result.
 */
export function checkStatus(checks: readonly Pick<RanCheck, 'state'>[]): ExitStatus {
  if (checks.some(({ state }) => state === 'not evaluable')) return exit.partial
  return checks.some(({ state }) => state === 'hit') ? exit.hit : exit.done
}
