/** Entry of the guarded process that runs fuzz checks. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { checks, type CheckName } from './check.ts'

export interface FuzzTask {
  check: CheckName
  inputs: readonly Uint8Array[]
}

export interface FuzzResult {
  /** Broken rules with the index of the input that broke each. */
  broken: { at: number; message: string }[]
  /** Peak memory of the process, including peaks between two samples of the guard. */
  peakBytes: number
  /** Longest processor time that one input took. */
  mostCpuMs: number
}

answerGuarded<FuzzTask, FuzzResult>(async ({ check: name, inputs }) => {
  const check = await checks[name]()
  const broken: FuzzResult['broken'] = []
  let mostCpuMs = 0
  for (const [at, bytes] of inputs.entries()) {
    const before = process.cpuUsage()
    try {
      const message = await check.read(bytes)
      if (message !== null) broken.push({ at, message })
    } catch (thrown) {
      broken.push({ at, message: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) })
    }
    const { user, system } = process.cpuUsage(before)
    mostCpuMs = Math.max(mostCpuMs, (user + system) / 1000)
  }
  return { broken, mostCpuMs, peakBytes: process.resourceUsage().maxRSS * 1024 }
})
