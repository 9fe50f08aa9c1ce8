import { readFileSync, readdirSync } from 'node:fs'

/** What this process holds, at rest and after the garbage is gone. */
export interface ProcessSize {
  /** JavaScript's objects and what they hold outside of the heap. */
  heldBytes: number
  /** In memory and of this process alone: without what the system only keeps of files. */
  residentBytes: number
  /** Open files and sockets; null where the system does not tell. */
  files: number | null
  /** Timers, sockets, threads by kind, as Node counts them. */
  handles: Record<string, number>
  message: string
}

declare const gc: (() => void) | undefined

/** Connections to services are kept open a while; what is only waiting to be closed is no leak. */
const SETTLES_WITHIN_MS = 6000

export async function measureProcess(): Promise<ProcessSize> {
  let size = sizeNow()
  const deadlineMs = performance.now() + SETTLES_WITHIN_MS
  // Sockets and timers of work that just ended go within moments: the smallest of a few looks counts.
  while (performance.now() < deadlineMs) {
    await new Promise((resume) => setTimeout(resume, 300))
    const now = sizeNow()
    const settled = now.files === size.files && now.heldBytes >= size.heldBytes * 0.99
    size = { ...now, heldBytes: Math.min(now.heldBytes, size.heldBytes) }
    if (settled) break
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
