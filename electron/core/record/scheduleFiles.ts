import { posix, win32 } from 'node:path'

export const schedulePlatforms = ['linux', 'macos', 'windows'] as const
export type SchedulePlatform = (typeof schedulePlatforms)[number]

/** A program that the system starts on a schedule. */
export interface ScheduledProgram {
  /** Path of the program, followed by its arguments. */
  command: readonly string[]
  /** Path of a file with the API key; null if a keychain holds it. */
  keyFile: string | null
}

export interface ScheduleFile {
  path: string
  text: string
}

/** Folders of the user for whom the files are written. */
export interface UserFolders {
  home: string
  /** Configuration folder on Linux. */
  config: string
  dataDir: string
}

/** Name of the systemd service and timer, and of the Windows task, that refresh the download sets. */
export const REFRESH_NAME = 'perpscope-refresh'
/** Name of the systemd service that serves the app. */
export const SERVE_UNIT = 'perpscope-serve.service'
/** Service options; exit status 4 means that a check found something, which systemd must not treat as a failure. */
const REFRESH_OPTIONS = ['Type=oneshot', 'SuccessExitStatus=4']
/** Label of the launch agent on macOS. */
export const AGENT_LABEL = 'org.perpscope.refresh'

/** When a schedule runs, in local time. */
export interface Timing {
  /** Hours from one run to the next; 24 for once a day. */
  everyHours: number
  /** Hour of the first run of a day. */
  hour: number
  minute: number
}

export const HOURLY: Timing = { everyHours: 1, hour: 0, minute: 5 }

/** Returns the next run after a moment. */
export function nextRunAfter({ everyHours, hour, minute }: Timing, nowMs: number): Date {
  const next = new Date(nowMs)
  next.setSeconds(0, 0)
  next.setMinutes(minute)
  while (next.getTime() <= nowMs || (next.getHours() - hour + 24) % everyHours !== 0) next.setHours(next.getHours() + 1)
  return next
}

/** Hours of a day at which a schedule runs. */
const hoursOf = ({ everyHours, hour }: Timing): number[] =>
  Array.from({ length: 24 / everyHours }, (_, at) => (hour + at * everyHours) % 24)

const twoDigits = (number: number): string => String(number).padStart(2, '0')

/** Returns the files that schedule a refresh of download sets, by default five minutes past every hour. */
export function refreshFiles(
  platform: SchedulePlatform,
  program: ScheduledProgram,
  folders: UserFolders,
  timing: Timing = HOURLY,
): ScheduleFile[] {
  if (platform === 'macos')
    return [
      {
        path: posix.join(folders.home, 'Library', 'LaunchAgents', `${AGENT_LABEL}.plist`),
        text: launchAgent(program, timing),
      },
    ]
  if (platform === 'windows')
    return [
      { path: win32.join(folders.dataDir, 'schedule', `${REFRESH_NAME}.xml`), text: windowsTask(program, timing) },
    ]
  return [
    {
      path: unitPath(folders, `${REFRESH_NAME}.service`),
      text: serviceUnit('Refresh the download sets of Perpscope', program, REFRESH_OPTIONS, []),
    },
    { path: unitPath(folders, `${REFRESH_NAME}.timer`), text: timerUnit(timing) },
  ]
}

/** Tells whether the text of a scheduler's entry names this data folder, quoted as its platform requires. */
export function isEntryOf(dataDir: string, text: string, platform: SchedulePlatform): boolean {
  if (platform === 'macos') return text.includes(`<string>${xmlText(dataDir)}</string>`)
  if (platform === 'windows')
    return [' ', '<'].some((end) => text.includes(`--data-dir ${xmlText(windowsWord(dataDir))}${end}`))
  return text.includes(`"--data-dir" ${unitWord(dataDir)}`)
}

/** Returns the systemd unit that serves Perpscope on a machine without a display. */
export function serveFile(program: ScheduledProgram, folders: UserFolders): ScheduleFile {
  const text = serviceUnit(
    'Perpscope',
    program,
    ['Restart=on-failure', 'RestartSec=5'],
    ['', '[Install]', 'WantedBy=default.target'],
  )
  return { path: unitPath(folders, SERVE_UNIT), text }
}

const unitPath = ({ config }: UserFolders, name: string) => posix.join(config, 'systemd', 'user', name)

function serviceUnit(
  description: string,
  { command, keyFile }: ScheduledProgram,
  service: readonly string[],
  install: readonly string[],
): string {
  const lines = [
    '[Unit]',
    `Description=${description}`,
    '',
    '[Service]',
    ...service,
    ...(keyFile === null ? [] : [`Environment=${quoteWord(`PERPSCOPE_API_KEY_FILE=${keyFile}`)}`]),
    `ExecStart=${command.map(unitWord).join(' ')}`,
    ...install,
  ]
  return `${lines.join('\n')}\n`
}

function timerUnit(timing: Timing): string {
  const hours = timing.everyHours === 1 ? '*' : hoursOf(timing).map(twoDigits).join(',')
  return `[Unit]
Description=Refresh the download sets of Perpscope ${everyText(timing)}

[Timer]
OnCalendar=*-*-* ${hours}:${twoDigits(timing.minute)}:00
Persistent=true

[Install]
WantedBy=timers.target
`
}

const everyText = ({ everyHours }: Timing): string =>
  everyHours === 1 ? 'every hour' : everyHours === 24 ? 'every day' : `every ${everyHours} hours`

/**
 * Quotes a word for a systemd unit, and escapes per cent signs, which would start a specifier, and control characters,
 * which might end the line.
 */
const quoteWord = (text: string): string => `"${text.replace(/[\\"%\p{Cc}]/gu, escapeCharacter)}"`

/** Quotes a word of a command, in which a dollar sign would start a variable. */
const unitWord = (text: string): string => quoteWord(text).replaceAll('$', '$$$$')

function escapeCharacter(character: string): string {
  if (character === '%') return '%%'
  const code = character.charCodeAt(0)
  if (code >= 0x20 && code < 0x7f) return `\\${character}`
  return code < 0x80 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}

const xmlText = (text: string): string =>
  text
    // Control characters other than tabs and line breaks are forbidden or discouraged in XML.
    .replace(/[^\P{Cc}\t\n\r]/gu, '')
    .replace(/[&<>"'\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`)

function launchAgent({ command, keyFile }: ScheduledProgram, timing: Timing): string {
  const args = command.map((text) => `    <string>${xmlText(text)}</string>`).join('\n')
  const environment =
    keyFile === null
      ? ''
      : `  <key>EnvironmentVariables</key>
  <dict>
    <key>PERPSCOPE_API_KEY_FILE</key>
    <string>${xmlText(keyFile)}</string>
  </dict>
`
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${AGENT_LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${args}
  </array>
${environment}  <key>StartCalendarInterval</key>
${launchTimes(timing)}
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
`
}

function launchTimes(timing: Timing): string {
  const minute = `<key>Minute</key>\n    <integer>${timing.minute}</integer>`
  if (timing.everyHours === 1) return `  <dict>\n    ${minute}\n  </dict>`
  const times = hoursOf(timing).map(
    (hour) => `  <dict>\n    <key>Hour</key>\n    <integer>${hour}</integer>\n    ${minute}\n  </dict>`,
  )
  return times.length === 1 ? times[0] : `  <array>\n${times.join('\n')}\n  </array>`
}

/** Quotes a word so that Windows programs parse it as one argument. */
const windowsWord = (text: string): string =>
  /^[^\s"]+$/.test(text) ? text : `"${text.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`

function windowsTask({ command: [program, ...args] }: ScheduledProgram, timing: Timing): string {
  const { everyHours, hour, minute } = timing
  const repetition =
    everyHours === 24
      ? ''
      : `
      <Repetition>
        <Interval>PT${everyHours}H</Interval>
        <Duration>P1D</Duration>
      </Repetition>`
  return `<?xml version="1.0"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>Refreshes the download sets of Perpscope ${everyText(timing)}.</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>2026-01-01T${twoDigits(hour)}:${twoDigits(minute)}:00</StartBoundary>${repetition}
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Principals>
    <Principal id="Author">
      <LogonType>InteractiveToken</LogonType>
      <RunLevel>LeastPrivilege</RunLevel>
    </Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT12H</ExecutionTimeLimit>
  </Settings>
  <Actions Context="Author">
    <Exec>
      <Command>${xmlText(program)}</Command>
      <Arguments>${xmlText(args.map(windowsWord).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`
}
