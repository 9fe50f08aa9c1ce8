import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { settingsShape, type Settings } from '#shared/contract/areas/settings.ts'
import type { Database } from './database.ts'

export interface SettingsStore {
  read(): Settings
  change(patch: Partial<Settings>): Settings
}

const keys = Object.keys(defaultSettings) as (keyof Settings)[]

/**
 * Creates the store of settings, which has one row per key. A missing or invalid setting takes its default value; an
 * invalid one is also reported.
 */
export function createSettingsStore({ reads, writes }: Database, notice: (message: string) => void): SettingsStore {
  function valueOf(key: keyof Settings, text: string): unknown {
    try {
      const parsed = settingsShape.shape[key].safeParse(JSON.parse(text))
      if (parsed.success) return parsed.data
    } catch {
      // Invalid JSON is treated like any other invalid value.
    }
    notice(`The setting “${key}” could not be read; its default is used.`)
    return defaultSettings[key]
  }

  let cached: { version: number; settings: Settings } | null = null
  let isChecked = false

  /**
   * Returns the settings, which every request needs. They are read again only if the index has changed, which is
   * checked at most once per turn of the event loop.
   */
  function read(): Settings {
    if (cached && isChecked) return cached.settings
    isChecked = true
    setImmediate(() => (isChecked = false))
    const version = reads.first<{ data_version: number }>('PRAGMA data_version')?.data_version ?? 0
    if (cached?.version !== version) cached = { version, settings: Object.freeze(readAll()) }
    return cached.settings
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
      isChecked = false
      return read()
    },
  }
}
