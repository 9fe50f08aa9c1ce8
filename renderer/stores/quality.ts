import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import type { FindingIdentity, JudgedFinding, QualityReport } from '#shared/contract/areas/quality.ts'
import type { CallInput } from '#shared/contract/calls.ts'
import { useHost } from './host.ts'
import { createLongCall } from './longCall.ts'

/** Returns the identity of a finding, by which the core stores whether the user accepted it. */
const identityOf = ({
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
  kind,
  column,
  from,
  to,
  origin,
}: JudgedFinding): FindingIdentity => ({
  dataset,
  exchange,
  symbol,
  interval,
  timestamp,
  kind,
  column,
  from,
  to,
  ...(origin && { origin }),
})

const keyOf = (finding: JudgedFinding): string => JSON.stringify(identityOf(finding))

/** Findings in the cached files under a filter, and the user's judgement on them. */
export const useQuality = defineStore('quality', () => {
  const host = useHost()
  const report = shallowRef<QualityReport | null>(null)
  const call = createLongCall()

  /** Judgements since the last check began, which its report may lack. */
  const judgements = new Map<string, JudgedFinding['accepted']>()

  async function check(filter: CallInput<'quality.check'>): Promise<void> {
    judgements.clear()
    const found = await call.run((options) => host.call('quality.check', filter, options))
    if (found) report.value = judged(found)
  }

  /** Applies the judgements to a report. */
  const judged = (found: QualityReport): QualityReport => ({
    ...found,
    findings: found.findings.map((each) => {
      const accepted = judgements.get(keyOf(each))
      return accepted === undefined ? each : { ...each, accepted }
    }),
  })

  function setAccepted(findings: readonly JudgedFinding[], accepted: JudgedFinding['accepted']): void {
    for (const finding of findings) judgements.set(keyOf(finding), accepted)
    report.value &&= judged(report.value)
  }

  async function accept(findings: readonly JudgedFinding[], note: string): Promise<void> {
    for (const finding of findings)
      await host.call('quality.accept', { connectionId: '', finding: identityOf(finding), note })
    setAccepted(findings, { note, at: Date.now() })
  }

  async function reopen(findings: readonly JudgedFinding[]): Promise<void> {
    for (const finding of findings)
      await host.call('quality.reopen', { connectionId: '', finding: identityOf(finding) })
    setAccepted(findings, null)
  }

  return {
    report,
    isChecking: call.isRunning,
    progress: call.progress,
    error: call.error,
    check,
    accept,
    reopen,
    cancel: call.cancel,
  }
})
