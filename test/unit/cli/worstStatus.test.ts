import { expect, it } from 'vitest'
import { worstStatus } from '../../../electron/cli/checkStatus.ts'
import { exit } from '../../../electron/cli/command.ts'

it.each([
  [[], exit.done],
  [[exit.done, exit.hit], exit.hit],
  [[exit.partial, exit.hit], exit.partial],
  [[exit.failed, exit.partial], exit.failed],
  [[exit.done, exit.partial, exit.failed, exit.hit], exit.failed],
] as const)('the status of parts that end with %j is %i in any order', (statuses, worst) => {
  expect(worstStatus(statuses)).toBe(worst)
  expect(worstStatus(statuses.toReversed())).toBe(worst)
})
