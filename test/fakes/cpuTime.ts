/**
 * Returns the milliseconds of CPU time that some work takes: on a busy machine it passes more slowly than the time of a
 * clock.
 */
export function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
