/**
 * Scores the recorded runs of a data folder on two threads, and prints how many, in what time and with how much memory.
 * Arguments: data folder, time of the clock, and after how many runs the process kills itself, as a power cut would.
 */
import { createForwardService } from '#core/lab/forward/forwardService.ts'

const [dataDir, nowMs, killAfter = 'Infinity'] = process.argv.slice(2)
const service = createForwardService({ dataDir, clock: { nowMs: () => Number(nowMs) }, openPortfolio: null })
const start = performance.now()
const { runs, days } = await service.update(new AbortController().signal, (done) => {
  if (done >= Number(killAfter)) process.kill(process.pid, 'SIGKILL')
})
const ms = performance.now() - start
await service.close()
// The kernel counts kilobytes.
const megabytes = process.resourceUsage().maxRSS / 1024
process.stdout.write(JSON.stringify({ runs, days, ms, megabytes }))
