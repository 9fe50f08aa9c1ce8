import { createClient } from '#shared/contract/client.ts'
import { paneAddress } from '#shared/contract/paneAddress.ts'
import type { PaneWindow } from '#shared/contract/areas/app.ts'
import type { PickedKind } from '#shared/contract/areas/files.ts'
import { AppError } from '#shared/contract/errors.ts'
import { OWN_DATA_ENDINGS } from '#shared/formula/ownData.ts'
import { storesText } from '../text/stores.ts'
import type { Dropped } from './droppedItems.ts'
import type { Host } from './host.ts'
import { openSocketChannel } from './socketChannel.ts'
import { readToken } from './token.ts'

const acceptByKind: Record<PickedKind, string> = {
  parquet: '.parquet',
  workspace: '.perpscope,.json',
  panel: '.csv,.parquet',
  study: '.json',
  ledger: '.jsonl',
  query: '.sql',
  board: '.json',
  backup: '.backup',
  returns: '.csv,.txt,.tsv',
  ownData: OWN_DATA_ENDINGS.join(','),
}

/** Connects a browser tab to the host that served it; rejects if the host refuses the token. */
export async function connectWebHost(): Promise<Host> {
  reloadOnNewToken()
  const token = readToken()
  if (!token) throw new AppError('unauthorized', 'Open the address that Perpscope printed when it started.')
  const channel = openSocketChannel(`ws://${location.host}/socket`, token)
  const client = createClient(channel)
  client.on('saves.ready', ({ path, name }) => startDownload(path, name))
  await channel.ready

  const receiveFiles = async (files: readonly File[]) => {
    for (const file of files) await upload(file, token)
  }
  return {
    ...client,
    kind: 'browser',
    async pickFiles(kind) {
      if (kind === 'folder') {
        const files = await chooseFiles({ webkitdirectory: true })
        if (files.length === 0) return 0
        const placed = files.map((file) => ({ file, path: file.webkitRelativePath }))
        await receiveFolder({ name: placed[0].path.split('/')[0], files: placed }, token)
        return 1
      }
      const files = await chooseFiles({ multiple: true, accept: acceptByKind[kind] })
      await receiveFiles(files)
      return files.length
    },
    async receiveDropped({ files, folders }) {
      await receiveFiles(files)
      for (const folder of folders) await receiveFolder(folder, token)
    },
    openPane: async (pane) => openTab(pane),
    channelState: channel.state,
    onChannelState: channel.onState,
  }
}

function startDownload(path: string, name: string): void {
  const link = document.createElement('a')
  link.href = path
  link.download = name
  link.click()
}

/**
 * Opens the tab of a pane, or shows the tab that the pane already has. It uses a link, because browsers block windows
 * opened by script; a new tab gets a copy of this tab's session storage, which contains the token.
 */
function openTab({ workspace, pane }: PaneWindow): void {
  const link = document.createElement('a')
  link.href = paneAddress({ workspace, pane })
  link.target = `perpscope-${workspace}-${pane}`
  link.rel = 'opener'
  link.click()
}

function chooseFiles(options: Partial<HTMLInputElement>): Promise<File[]> {
  return new Promise((resolve) => {
    const input = document.createElement('input')
    Object.assign(input, { type: 'file', ...options })
    input.onchange = () => resolve([...(input.files ?? [])])
    input.oncancel = () => resolve([])
    input.click()
  })
}

/** Uploads the tables of a folder, which the host receives as one folder once it has all of them. */
async function receiveFolder({ name, files }: Dropped['folders'][number], token: string): Promise<void> {
  const tables = files.filter(({ file }) => OWN_DATA_ENDINGS.some((ending) => file.name.toLowerCase().endsWith(ending)))
  if (tables.length === 0) throw new AppError('bad-input', storesText.files.noTables(name))
  const folder = crypto.randomUUID()
  for (const [at, { file, path }] of tables.entries())
    await upload(file, token, { folder, path, ...(at === tables.length - 1 && { last: '1' }) })
}

function upload(file: File, token: string, place: Record<string, string> = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', `/receive?${new URLSearchParams({ name: file.name, ...place }).toString()}`)
    request.setRequestHeader('Authorization', `Bearer ${token}`)
    request.onload = () =>
      request.status === 204 ? resolve() : reject(new AppError('read-only', request.responseText.trim()))
    request.onerror = () => reject(new AppError('disconnected'))
    request.send(file)
  })
}

const tokenPattern = /^#token=[\w-]+$/

/**
 * Reloads the tab when an address with a new token is pasted into it; by itself, the browser loads nothing, because
 * only the fragment of the address changes.
 */
function reloadOnNewToken(): void {
  addEventListener('popstate', (event) => {
    if (!tokenPattern.test(location.hash)) return
    // The event is not passed on, because the router would mistake the token for a screen's address.
    event.stopImmediatePropagation()
    location.reload()
  })
}
