/** What a check does, beside its entry in the inbox, when it finds something: run a command or post to an address. */
export type Alarm = { run: readonly string[] } | { post: string }

/** Splits the setting of hosts to which checks may post. */
export const alarmHostsOf = (setting: string): string[] =>
  setting
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map((host) => host.toLowerCase())

/** Tells whether a text names a host, with its port if that is not the usual one. */
export const isAlarmHost = (text: string): boolean => /^(?:[a-z0-9.-]{1,253}|\[[0-9a-f:]+\])(?::\d{1,5})?$/i.test(text)
