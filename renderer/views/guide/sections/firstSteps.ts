import type { GuideSection } from '../guideSection.ts'

export const firstSteps: readonly GuideSection[] = [
  {
    id: 'first-steps',
    title: 'First steps',
    keywords: 'begin tutorial sandbox introduction',
    blocks: [
      'Perpscope shows how perpetual-swap markets behave from trade to trade, and how factor portfolios on digital assets do. It asks three services, keeps what it fetched on this machine, and works on with that when there is no network.',
      'The first start opens on the connection “Sandbox”. It runs on this machine, needs no key, and answers like the real services do, but on an invented market. Wherever its data shows, it says so. Everything in this guide can be tried on it.',
      {
        steps: [
          'Look through the [catalog](/catalog): what is measured, and what each column means.',
          'See in the [coverage](/coverage) which symbols exist, and since when.',
          'Choose [what to download](/downloads/new); the plan shows files and size before anything is fetched.',
          'Chart it on the [workbench](/workbench).',
          'Open a [portfolio](/portfolios).',
          'When you have a service and a key of your own, add a [connection](/settings/connections).',
        ],
      },
      'Press `Ctrl K` (on a Mac `⌘ K`) for the palette: every command, screen, dataset and symbol is found there by a few letters. Press `?` for all keyboard shortcuts.',
    ],
  },
  {
    id: 'connections',
    title: 'Connections and keys',
    keywords: 'api key service url tier keychain connect',
    blocks: [
      'A connection is a set of services to ask: the metrics service, the portfolio service and the catalog of raw events, with the key that opens them. Each connection has data of its own on this machine; switching to another is one click at the top of the window.',
      {
        steps: [
          'Open [Settings → Connections](/settings/connections) and add one. A base address is what stands before `/api/v1`. The catalog of raw events may be an address or a file.',
          'Set the key. It goes into the keychain of the system and never comes back to the screen: afterwards you see only that it is set, and its last four characters.',
          'Choose the tier of your subscription if you know it. The app then marks what the key does not open; without it, it finds out by asking.',
          'Test the connection. Each service says what it answered, or why it did not.',
        ],
      },
      { heading: 'Where the key is' },
      'In the keychain (Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux) and, while the app runs, in its main process. It goes to the addresses of its own connection only: not to the host of a download link, not across a redirect to another address, not into a log, a file, an export or the window.',
      'Where the system has no keychain the app says so and keeps the key until it ends. For the command line `PERPSCOPE_API_KEY` gives one.',
    ],
  },
]
