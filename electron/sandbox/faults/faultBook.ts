import type { FaultEffects, FaultRule, Faults } from './faults.ts'

/** Selects a share of the numbers 0, 1, 2, …, evenly spread and the same in every run. */
const isChosen = (count: number, chance: number) => Math.floor((count + 1) * chance) > Math.floor(count * chance)

/** The active faults, and how often each rule was matched. */
export class FaultBook {
  current: Faults = {}
  private readonly met = new Map<FaultRule, number>()
  private readonly hit = new Map<FaultRule, number>()

  constructor(faults: Faults) {
    this.set(faults)
  }

  set(faults: Faults): void {
    this.current = structuredClone(faults)
    this.met.clear()
    this.hit.clear()
  }

  /** Returns the effects on the next request to this path, and counts the request. */
  effectsOn(on: 'api' | 'storage', path: string): FaultEffects {
    const effects: FaultEffects = {}
    for (const rule of this.current.rules ?? []) {
      if ((rule.on && rule.on !== on) || (rule.path && !path.includes(rule.path))) continue
      if (this.isHit(rule)) Object.assign(effects, rule)
    }
    return effects
  }

  private isHit(rule: FaultRule): boolean {
    const met = this.met.get(rule) ?? 0
    this.met.set(rule, met + 1)
    const hit = this.hit.get(rule) ?? 0
    if (met < (rule.skip ?? 0) || hit >= (rule.times ?? Infinity)) return false
    if (!isChosen(met - (rule.skip ?? 0), rule.chance ?? 1)) return false
    this.hit.set(rule, hit + 1)
    return true
  }
}
