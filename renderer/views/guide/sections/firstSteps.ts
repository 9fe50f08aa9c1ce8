import type { GuideSection } from '../guideSection.ts'

export const firstStepsSection: readonly GuideSection[] = [
  {
    id: 'first-steps',
    title: 'First steps',
    keywords: 'begin tutorial sandbox introduction',
    blocks: [
      'Perpscope shows how perpetual-swap markets behave from trade to trade, and how factor portfolios of digital assets perform. It queries three services, stores what it fetches on this machine, and keeps working with that data when there is no network.',
      'The first start opens with the connection “Sandbox”. It runs on this machine, needs no key, and responds as the real services do, but its market is synthetic; its data is labelled wherever it appears. You can try everything in this guide with it.',
      {
        steps: [
          'Look through the [catalog](/catalog) to see what is measured and what each column means.',
          'See under [Coverage](/coverage) which symbols exist, and since when.',
          'Choose [what to download](/downloads/new); the plan shows files and size before anything is fetched.',
          'Chart it on the [workbench](/workbench).',
          'Open a [portfolio](/portfolios).',
          'Choose a playbook for what you want to know under [Boards](/boards); the pages “Job: …” of this guide say how to read each, for example [order flow](/guide/job-order-flow).',
          'When you have a service and a key of your own, add a [connection](/settings/connections).',
        ],
      },
      'Press `Ctrl K` (on a Mac `⌘ K`) for the palette, which finds every command, screen, dataset and symbol by a few letters. Press `?` for all keyboard shortcuts.',
    ],
  },
  {
    id: 'connections',
    title: 'Connections and keys',
    keywords: 'api key service url tier keychain connect',
    blocks: [
      'A connection is a set of services (metrics, portfolios and the catalog of raw events) with the API key for them. Each connection has its own data on this machine. Switch between connections at the top of the window.',
      {
        steps: [
          'Open [Settings → Connections](/settings/connections) and add one. A base address is the part before `/api/v1`. The catalog of raw events may be an address or a file; without one, it is looked for once at the metrics service. With a key for previews, switch on “The service offers previews only”: forms then offer just the month and the symbols that the catalog names.',
          'Set the key. It is stored in the keychain of the system and never shown again: afterwards you see only that it is set, and its last four characters.',
          'Choose the tier of your subscription if you know it. The app then marks what your subscription does not include; otherwise it finds out when the service refuses something.',
          'Test the connection. The test shows how each service responded, or why it did not.',
        ],
      },
      { heading: 'Where the key is' },
      'The key is in the keychain (Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux; where its library is missing, the desktop app has a file that the system encrypts) and, while the app runs, in its main process. It goes to the addresses of its own connection only: not to the server of a download link, not across a redirect to another address, not into a log, an export or the window.',
      'Where the system has no keychain, the app says so and keeps the key until it closes. On the command line, `PERPSCOPE_API_KEY` provides a key, and `PERPSCOPE_PORTFOLIO_KEY` the one of a portfolio service that has its own.',
    ],
  },
]
