/** The sandbox's idea of now: the machine's clock, or a fixed instant. */
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
