import { readFileSync, readdirSync } from 'node:fs'

/** Resources that this process uses when idle, after a garbage collection. */
export interface ProcessSize {
  /** Bytes of JavaScript objects and their external memory. */
  heldBytes: number
  /** Resident bytes of this process alone, without pages of files. */
  residentBytes: number
  /** Number of open files and sockets; null if the system does not report it. */
  files: number | null
  /** Numbers of timers, sockets and threads by kind, as Node counts them. */
  handles: Record<string, number>
  message: string
}

declare const gc: (() => void) | undefined

/** Time in which idle connections close; a connection that only waits for its timeout is no leak. */
const SETTLES_WITHIN_MS = 6000

export async function measureProcess(): Promise<ProcessSize> {
  let size = sizeNow()
  const deadlineMs = performance.now() + SETTLES_WITHIN_MS
  // Sockets and timers of finished work disappear within moments, so the smallest of several readings counts.
  while (performance.now() < deadlineMs) {
    await new Promise((resume) => setTimeout(resume, 300))
    const now = sizeNow()
    const isSettled = now.files === size.files && now.heldBytes >= size.heldBytes * 0.99
    size = { ...now, heldBytes: Math.min(now.heldBytes, size.heldBytes) }
    if (isSettled) break
  }
  return size
}

function residentBytes(): number {
  if (process.platform !== 'linux') return process.memoryUsage.rss()
  const [, kilobytes] = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? ['', '0']
  return Number(kilobytes) * 1024
}

function sizeNow(): ProcessSize {
  gc?.()
  const { heapUsed, external } = process.memoryUsage()
  const rss = residentBytes()
  const handles: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) handles[kind] = (handles[kind] ?? 0) + 1
  const files = process.platform === 'linux' ? readdirSync('/proc/self/fd').length : null
  const heldBytes = heapUsed + external
  const mb = (bytes: number) => (bytes / 1e6).toFixed(1)
  const message = `${mb(heldBytes)} MB held, ${mb(rss)} MB resident, ${files} files, ${JSON.stringify(handles)}`
  return { heldBytes, residentBytes: rss, files, handles, message }
}
