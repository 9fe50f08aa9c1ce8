/** The clock of the sandbox: the machine's clock, or a fixed time. */
export class SandboxClock {
  private fixedMs: number | null

  constructor(fixedMs: number | null = null) {
    this.fixedMs = fixedMs
  }

  now(): number {
    return this.fixedMs ?? Date.now()
  }

  /** Fixes the clock; null lets it follow the machine again. */
  set(nowMs: number | null): void {
    this.fixedMs = nowMs
  }
}
