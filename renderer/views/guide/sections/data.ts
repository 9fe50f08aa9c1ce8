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
      'Choose another folder with `--data-dir DIR` or the environment variable `PERPSCOPE_DATA_DIR`. To move it, close the app, move the folder, and start the app with the new path. The cached files alone, which take most of the space, can be moved under [Settings → Cache](/settings/cache).',
      {
        terms: [
          [
            '`files/<connection>/metrics/…`',
            'metric files: `dataset=…/exchange=…/symbol=…/interval=…/timestamp=…/2026-08-01.parquet`',
          ],
          ['`files/<connection>/raw/…`', 'raw-event files: `dataset=…/exchange=…/symbol=…/2026-08-01.parquet`'],
          ['`*.sqlite`', 'the index, the settings, the queue and the answers of the portfolio service'],
          ['logs', 'recent events, without API keys'],
        ],
      },
      'The files are plain Parquet in Hive partitions: other programs may read them at any time. Do not change them in place; `perpscope verify` would report them as damaged. If the index is lost, `perpscope verify` rebuilds it from the files.',
      '“Back up …” under [Settings → About](/settings/about), or `perpscope backup FILE`, writes what you made into one file, without downloaded files and keys. “Restore …” beside it, or `perpscope restore FILE`, restores a data folder from it. A folder that already holds your work is replaced only if you agree (`--replace`), and the old one is kept next to it.',
    ],
  },
  {
    id: 'numbers',
    title: 'What the numbers promise',
    keywords: 'point in time utc interval missing null gap timestamp exchange true trace',
    blocks: [
      {
        list: [
          'A row’s time is the start of its interval, in UTC. Everything in the row happened before that time plus the interval, so no row contains information from the future.',
          '`timestamp=exchange` orders events by the venue’s own time, `timestamp=true` by their arrival time, when they could first be known.',
          'Missing is missing. A value that is absent or undefined is a gap in a chart, an empty cell in a table or CSV file, and null in JSON. It is never zero.',
          'Every number can be traced to its dataset, its file, the time it was fetched and the connection it came from.',
          'What the service does not document, such as limits or the meaning of an unknown column, is shown as it arrives and never guessed.',
        ],
      },
    ],
  },
  {
    id: 'offline',
    title: 'Offline',
    keywords: 'plane network disconnected no internet switch',
    blocks: [
      'Without a network, or with the switch at the top of the window (palette: “Go offline”), everything that was fetched keeps working: catalog, coverage, charts, portfolios, exports and computing. The app shows what is not cached. Downloads wait, and resume automatically.',
      'On the command line `--offline` does the same for one command.',
    ],
  },
  {
    id: 'network',
    title: 'Network, certificates and policy',
    screens: [],
    keywords:
      'proxy tls certificate ca pem company corporate issuer trust policy administrator forbid updates export log',
    blocks: [
      'Perpscope uses the proxy of [Settings → Network](/settings/network), otherwise the one in `HTTPS_PROXY` and `NO_PROXY`, otherwise, in the desktop app, that of the system. `direct` means no proxy. On the command line `--proxy` takes precedence.',
      'The certificates of Node.js and of the operating system are trusted. If your organisation inspects traffic, name the PEM file with its certificate under [Settings → Network](/settings/network), with `--ca-file`, or in `NODE_EXTRA_CA_CERTS`. The error for a refused certificate names the authority that issued it. The update feed of the desktop app uses the system’s network stack instead, so its certificate must be in the system’s store.',
      'An administrator can write a policy for all users of a machine. It is a JSON file that only the administrator may write:',
      {
        terms: [
          ['Linux', '`/etc/perpscope/policy.json`'],
          ['macOS', '`/Library/Application Support/Perpscope/policy.json`'],
          ['Windows', '`C:\\Program Files\\Perpscope\\policy.json`'],
        ],
      },
      {
        code: '{\n  "metricsUrl": "https://metrics.example.com",\n  "portfolioUrl": "https://portfolio.example.com",\n  "catalogLocation": "https://metrics.example.com/catalog.json",\n  "proxy": "http://proxy.example.com:3128",\n  "proxyExcept": ".example.com",\n  "extraCaFile": "/etc/ssl/certs/company.pem",\n  "forbidUpdates": true,\n  "forbidDoors": true,\n  "forbidPublishing": true\n}',
        language: 'JSON',
      },
      {
        list: [
          'Every rule may be left out. Settings shows the rules in force and locks the fields that they set; `perpscope` refuses options that contradict them.',
          'Connections must use the addresses of the policy. A connection with another address is refused until you edit it; the sandbox works as before.',
          '`forbidUpdates` empties the update feed. `forbidDoors` keeps other programs from reading through Perpscope: it disables `serve --api`, `mcp` and the switch for the local API. `forbidPublishing` refuses `fetch --publish` and `export --out s3://…`, so nothing is published to a shared store from here.',
          'A policy file that is not valid JSON, has an unknown rule, does not belong to root or can be written by other users is refused: Perpscope does not start until it is corrected, because a misspelt prohibition must not be ignored. On Windows the permissions of the folder protect the file.',
          'A policy guides honest users. It does not stop someone who runs another copy of the program.',
        ],
      },
      'Every exported file is recorded, with its path, in `logs/perpscope.log` in the data folder.',
    ],
  },
  {
    id: 'troubleshooting',
    title: 'Troubleshooting',
    keywords: 'error problem fail help refused 401 403 keychain proxy disk full damaged slow report diagnostics',
    blocks: [
      'An error says what was attempted, what came back and what you can do. If that is not enough:',
      {
        terms: [
          [
            'The key is refused',
            'Test the connection in [Settings](/settings/connections). The test distinguishes a wrong or expired key from a dataset that your tier does not include. Once you set a new key, downloads that waited for it resume.',
          ],
          [
            '“The system keychain cannot be used”',
            'On Linux, install and unlock a keyring (GNOME Keyring, KWallet). Until then, the app forgets a key when it closes.',
          ],
          [
            'Nothing is downloaded',
            'The banner above the queue says what it waits for: a network, a key, disk space, or a service that asks to wait. If another window or the command line runs the queue, its progress shows here.',
          ],
          [
            'The disk is full',
            'Free up space under [Settings → Cache](/settings/cache) or with `perpscope prune`. The queue then resumes automatically.',
          ],
          [
            'A file is damaged',
            '`perpscope verify --repair` sets damaged files aside. Download them again afterwards; nothing is fetched without your request.',
          ],
          [
            'Behind a proxy',
            'See [Network, certificates and policy](/guide/network). Requests to this machine never go through a proxy.',
          ],
          [
            'The browser says that the connection was lost',
            'The program that serves the page has ended, or the tunnel broke. Start it again and open the address that it prints; the old one has expired.',
          ],
          [
            'Something failed or stopped answering',
            'The app asks whether to reload or restart; cache, queue and documents are safe. [Settings → About](/settings/about) lists the crash reports. They stay on this machine, contain no key and no data, and can be deleted there.',
          ],
          [
            '“The data folder was last used by a newer version of Perpscope”',
            'Update this app. Nothing in the folder was changed.',
          ],
        ],
      },
      'The self-check in [Settings → About](/settings/about) tests the data folder, the index and the keychain. “Copy diagnostics” there copies a text for bug reports that contains no key and no signed link.',
    ],
  },
]
