import { defaultSettings, settingsShape, type Settings } from '#shared/contract/areas/settings.ts'
import type { Database } from './database.ts'

export interface SettingsStore {
  read(): Settings
  change(patch: Partial<Settings>): Settings
}

const keys = Object.keys(defaultSettings) as (keyof Settings)[]

/**
 * Creates the store of settings, which has one row per key. A key without a row, or with a broken one, has its default;
 * a broken one is told.
 */
export function createSettingsStore({ reads, writes }: Database, notice: (message: string) => void): SettingsStore {
  function valueOf(key: keyof Settings, text: string): unknown {
    try {
      const parsed = settingsShape.shape[key].safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
    } catch {
      // Not JSON: broken like any other value that does not fit.
    }
    notice(`The setting “${key}” could not be read; its default is used.`)
    return defaultSettings[key]
  }

  let known: { version: number; settings: Settings } | null = null
  let isLooked = false

  /** Asked for with every request: looked at once a turn, and read again only when anything at all was written since. */
  function read(): Settings {
    if (known && isLooked) return known.settings
    isLooked = true
    setImmediate(() => (isLooked = false))
    const version = reads.first<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
    if (known?.version !== version) known = { version, settings: Object.freeze(readAll()) }
    return known.settings
  }

  function readAll(): Settings {
    const rows = reads.all<{ key: string; value: string }>('SELECT key, value FROM settings')
    const stored = new Map(rows.map(({ key, value }) => [key, value]))
    const entries = keys.map((key) => {
      const text = stored.get(key)
      return [key, text === undefined ? defaultSettings[key] : valueOf(key, text)]
    })
    return Object.fromEntries(entries) as Settings
  }

  return {
    read,
    change(patch) {
      writes.inTransaction(() => {
        for (const key of keys) {
          if (patch[key] === undefined) continue
          writes.run(
            'INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
            key,
            JSON.stringify(patch[key]),
          )
        }
      })
      isLooked = false
      return read()
    },
  }
}
