import { checks, type CheckName } from './check.ts'
import { guardedTarget } from './guardedTarget.ts'
import { requestsTarget } from './requestsTarget.ts'
import { socketTarget } from './socketTarget.ts'
import type { FuzzTarget } from './target.ts'

const guardedEntry = (name: CheckName): [string, () => Promise<FuzzTarget>] => [name, () => guardedTarget(name)]

/** Functions that open the targets of `npm run fuzz`, by name. */
export const fuzzTargets: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  ...Object.fromEntries((Object.keys(checks) as CheckName[]).map(guardedEntry)),
  requests: requestsTarget,
  sockets: socketTarget,
}
