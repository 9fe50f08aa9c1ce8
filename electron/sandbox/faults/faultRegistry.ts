import type { FaultEffects, FaultRule, Faults } from './faults.ts'

/** Tells whether the request with this index is affected; affected ones are evenly spread and the same in every run. */
const isChosen = (count: number, chance: number) => Math.floor((count + 1) * chance) > Math.floor(count * chance)

/** The active faults, and how often each rule has matched a request and affected one. */
export class FaultRegistry {
  current: Faults = {}
  /** Number of requests that each rule matched. */
  private readonly matched = new Map<FaultRule, number>()
  /** Number of requests that each rule affected. */
  private readonly affected = new Map<FaultRule, number>()

  constructor(faults: Faults) {
    this.set(faults)
  }

  set(faults: Faults): void {
    this.current = structuredClone(faults)
    this.matched.clear()
    this.affected.clear()
  }

  /** Returns the effects on the next request to this path, and counts the request. */
  effectsOn(on: 'api' | 'storage', path: string): FaultEffects {
    const effects: FaultEffects = {}
    for (const rule of this.current.rules ?? []) {
      if ((rule.on && rule.on !== on) || (rule.path && !path.includes(rule.path))) continue
      if (this.affects(rule)) Object.assign(effects, rule)
    }
    return effects
  }

  /** Tells whether a rule affects a request that it matches; counts the matched and the affected requests. */
  private affects(rule: FaultRule): boolean {
    const matched = this.matched.get(rule) ?? 0
    this.matched.set(rule, matched + 1)
    const affected = this.affected.get(rule) ?? 0
    if (matched < (rule.skip ?? 0) || affected >= (rule.times ?? Infinity)) return false
    if (!isChosen(matched - (rule.skip ?? 0), rule.chance ?? 1)) return false
    this.affected.set(rule, affected + 1)
    return true
  }
}
