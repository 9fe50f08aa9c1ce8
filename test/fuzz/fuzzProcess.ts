/** Entry of the guarded process that runs the checks of a fuzz target. */
import { answerGuarded } from '#core/guard/answerGuarded.ts'
import { checks, type CheckName } from './check.ts'

export interface FuzzTask {
  check: CheckName
  inputs: readonly Uint8Array[]
}

export interface FuzzResult {
  /** Broken rules by the place of their input. */
  broken: { at: number; message: string }[]
  /** Largest memory that the process ever had, also between two looks of the guard. */
  peakBytes: number
  /** Most processor time that one input took. */
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
