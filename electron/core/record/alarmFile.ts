import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alarm } from '#shared/contract/alarm.ts'
import { codeOf, unopenedText } from '#shared/units/fileKind.ts'

interface AlarmFile {
  path: string
  alarms: Record<string, Alarm>
  /** Says in a sentence why alarms of the file do not sound; null if all do, or if there is no file. */
  problem: string | null
  /** False if the file has something that cannot be read, and that would be lost if the file were written. */
  isWhole: boolean
}

/** Where a file that could not be read is kept, because a person typed what is in it. */
export const damagedPath = (path: string): string => `${path}.damaged`

/** Reads the alarms of a data folder. */
export function readAlarmFile(dataDir: string): AlarmFile {
  const path = join(dataDir, 'alarms.json')
  const kept = damagedPath(path)
  const keptProblem = existsSync(kept)
    ? `${kept} has alarms that could not be read and do not sound. Save them again with “perpscope check save”, then delete that file.`
    : null
  try {
    const { alarms } = JSON.parse(readFileSync(path, 'utf8')) as { alarms?: unknown }
    if (typeof alarms !== 'object' || alarms === null) return unreadable(path, 'it has no alarms')
    const entries = Object.entries(alarms)
    const wrong = entries.filter(([, alarm]) => !isAlarm(alarm)).map(([check]) => check)
    return {
      path,
      isWhole: wrong.length === 0,
      alarms: Object.fromEntries(entries.filter(([, alarm]) => isAlarm(alarm))) as Record<string, Alarm>,
      problem:
        wrong.length > 0 ? `${path}: the alarm of ${wrong.join(', ')} cannot be read and does not sound.` : keptProblem,
    }
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return unreadable(path, 'it is not JSON')
    if (codeOf(thrown) === 'ENOENT') return { path, alarms: {}, problem: keptProblem, isWhole: true }
    return { path, alarms: {}, problem: `${unopenedText(path, codeOf(thrown))} No alarm sounds.`, isWhole: true }
  }
}

const unreadable = (path: string, why: string): AlarmFile => ({
  path,
  isWhole: false,
  alarms: {},
  problem: `${path} is damaged (${why}), so that no alarm sounds. Mend or delete the file, then save the alarms again with “perpscope check save”.`,
})

const isAlarm = (value: unknown): value is Alarm => {
  const { run, post } = (value ?? {}) as { run?: unknown; post?: unknown }
  return (
    typeof post === 'string' || (Array.isArray(run) && run.length > 0 && run.every((word) => typeof word === 'string'))
  )
}
