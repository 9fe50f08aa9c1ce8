import type { GuideSection } from '../guideSection.ts'

export const dataSections: readonly GuideSection[] = [
  {
    id: 'data-folder',
    title: 'Where your data is stored',
    keywords: 'folder path backup move cache hive partition disk sqlite',
    blocks: [
      'Everything is stored in one folder. `perpscope where` prints it, and so does [Settings → About](/settings/about).',
      {
        terms: [
          ['Linux', '`~/.local/share/perpscope`, or below `$XDG_DATA_HOME`'],
          ['macOS', '`~/Library/Application Support/Perpscope`'],
          ['Windows', '`%APPDATA%\\Perpscope`'],
        ],
      },
      'Another one is chosen by `--data-dir DIR` or the environment variable `PERPSCOPE_DATA_DIR`. To move it, close the app, move the folder and say where it is. The files alone, which take the room, are moved under [Settings → Cache](/settings/cache).',
      {
        terms: [
          [
            '`files/<connection>/metrics/…`',
            'metric files: `dataset=…/exchange=…/symbol=…/interval=…/timestamp=…/2026-08-01.parquet`',
          ],
          ['`files/<connection>/raw/…`', 'raw-event files: `dataset=…/exchange=…/symbol=…/2026-08-01.parquet`'],
          ['`*.sqlite`', 'the index, settings, queue and the portfolio answers'],
          ['logs', 'recent events, without API keys'],
        ],
      },
      'The files are plain Parquet in Hive partitions: other programs may read them at any time. Do not change them in place; `perpscope verify` would report them as damaged. If the index is lost, `perpscope verify --repair` builds it anew from the files.',
    ],
  },
  {
    id: 'numbers',
    title: 'What the numbers promise',
    keywords: 'point in time utc interval missing null gap timestamp exchange true trace',
    blocks: [
      {
        list: [
          'A row’s time is the start of its interval, in UTC. What is in it happened before its time plus its interval: nothing later ever shows.',
          '`timestamp=exchange` orders events by the time the venue wrote on them, `timestamp=true` by when they could be known.',
          'Missing is missing. A value that was not there or is not defined is a gap in a chart, an empty cell in a table and a CSV file, null in JSON. It is never zero.',
          'A number can be traced: dataset, file, when it was fetched and from which connection.',
          'What the service does not say, such as limits or the meaning of an unknown column, is shown as it comes and not guessed.',
        ],
      },
    ],
  },
  {
    id: 'offline',
    title: 'Offline',
    keywords: 'plane network disconnected no internet switch',
    blocks: [
      'Without a network, or with the switch at the top of the window (palette: “Go offline”), everything that was fetched works: catalog, coverage, charts, portfolios, exports, computing. What is not here says so plainly. Downloads wait and go on by themselves later.',
      'On the command line `--offline` does the same for one command.',
    ],
  },
  {
    id: 'troubleshooting',
    title: 'Troubleshooting',
    keywords: 'error problem fail help refused 401 403 keychain proxy disk full damaged slow report diagnostics',
    blocks: [
      'An error says what was tried, what came back and what you can do. If that is not enough:',
      {
        terms: [
          [
            'The key is refused',
            'Test the connection in [Settings](/settings/connections). A key of another connection, or one that ran out, is told apart from a dataset that your tier does not open. Setting a new key lets everything that waited go on.',
          ],
          [
            '“There is no keychain”',
            'On Linux, install and unlock a keyring (GNOME Keyring, KWallet). Until then a key lasts until the app ends.',
          ],
          [
            'Nothing is downloaded',
            'The banner above the queue says what holds it: offline, a refused key, a full disk, a service that asks to wait. Another program of yours may be doing the work; then its progress shows here.',
          ],
          [
            'The disk is full',
            'Make room under [Settings → Cache](/settings/cache) or with `perpscope prune`. The queue goes on by itself.',
          ],
          [
            'A file is damaged',
            '`perpscope verify --repair` sets aside what is damaged. Download it again afterwards: nothing is fetched unasked.',
          ],
          [
            'Behind a proxy',
            'The proxy of the system or of `HTTPS_PROXY` is used; addresses of this machine never go through it.',
          ],
          [
            'The browser says that the line was lost',
            'The program that serves it was ended or the tunnel broke. Start it again and open the new address: its token is new.',
          ],
          ['“The data folder belongs to a newer version”', 'Update this one; nothing was changed.'],
        ],
      },
      'The self-check in [Settings → About](/settings/about) goes through folder, index and keychain. “Copy diagnostics” there gives a text for a report; no key and no signed link is in it.',
    ],
  },
]
