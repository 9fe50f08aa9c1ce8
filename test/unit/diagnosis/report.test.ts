import { expect, test } from 'vitest'
import { defaultSettings } from '#shared/contract/defaultSettings.ts'
import { writeReport, type ReportFacts } from '#core/diagnosis/report.ts'

const none = { set: false, ending: null, kept: null }

const facts: ReportFacts = {
  info: {
    version: '1.2.3',
    host: 'desktop',
    platform: 'linux x64',
    nodeVersion: '24.0.0',
    sqliteVersion: '3.54.1',
    dataDir: '/home/ada/.local/share/perpscope',
    startedAt: Date.UTC(2026, 8, 1),
    notices: ['The index was damaged.'],
    policy: { file: '/etc/perpscope/policy.json', rules: { forbidUpdates: true } },
  },
  systemRelease: '6.1.0',
  nowMs: Date.UTC(2026, 8, 1, 1),
  settings: { ...defaultSettings, theme: 'dark' },
  connections: [
    {
      id: 'c1',
      name: 'Desk',
      metricsUrl: 'https://m.example',
      portfolioUrl: '',
      catalogLocation: '/home/ada/catalog.json',
      tier: null,
      active: true,
      builtIn: false,
      keys: { metrics: { set: true, ending: 'ab3f', kept: 'keychain' }, portfolio: none },
    },
  ],
  vault: { available: false, name: 'Secret Service', message: 'It is locked.' },
  requests: [
    {
      startedAtMs: 0,
      method: 'GET',
      address: 'https://m.example/a',
      status: 200,
      bytes: 1,
      durationMs: 1,
      error: null,
    },
    {
      startedAtMs: 0,
      method: 'GET',
      address: 'https://m.example/b',
      status: 503,
      bytes: 1,
      durationMs: 1,
      error: null,
    },
    {
      startedAtMs: 0,
      method: 'GET',
      address: 'https://m.example/c',
      status: null,
      bytes: 0,
      durationMs: 1,
      error: 'gone',
    },
  ],
  logLines: [],
}

test('a report says what matters for finding a fault', () => {
  const report = writeReport(facts, '/home/ada')
  for (const line of [
    'Perpscope 1.2.3 (desktop)',
    'Data folder: ~/.local/share/perpscope',
    'Keychain: Secret Service, It is locked.',
    'Policy: /etc/perpscope/policy.json {"forbidUpdates":true}',
    '  The index was damaged.',
    '  theme = "dark"',
    '  * Desk: metrics https://m.example, portfolio –, catalog ~/catalog.json; tier unknown; keys: metrics set (keychain), portfolio none',
    '  1970-01-01T00:00:00.000Z GET https://m.example/b: status 503',
    '  1970-01-01T00:00:00.000Z GET https://m.example/c: gone',
  ]) {
    expect(report.split('\n')).toContain(line)
  }
})

test('nothing of a key, of the person’s home or of requests that went well is in it', () => {
  const report = writeReport(facts, '/home/ada')
  for (const absent of ['ab3f', '/home/ada', 'm.example/a']) expect(report).not.toContain(absent)
})
