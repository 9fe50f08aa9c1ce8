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

/** Findings in the cached files under a filter, and the user's judgement on them. */
export const useQuality = defineStore('quality', () => {
  const host = useHost()
  const report = shallowRef<QualityReport | null>(null)
  const call = createLongCall()

  async function check(filter: CallInput<'quality.check'>): Promise<void> {
    const found = await call.run((options) => host.call('quality.check', filter, options))
    if (found) report.value = found
  }

  /** Applies a judgement to the report on screen. */
  function setAccepted(findings: readonly JudgedFinding[], accepted: JudgedFinding['accepted']): void {
    const chosenFindings = new Set(findings)
    const shownReport = report.value
    if (shownReport)
      report.value = {
        ...shownReport,
        findings: shownReport.findings.map((each) => (chosenFindings.has(each) ? { ...each, accepted } : each)),
      }
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
