import type { Router } from 'vue-router'
import type { Command } from '../stores/commands.ts'
import { useDownloads } from '../stores/downloads.ts'

/** What can be done to the download queue from everywhere. */
export function downloadCommands(router: Router): Command[] {
  const downloads = useDownloads()
  const counts = () => downloads.progress?.counts
  return [
    {
      id: 'downloads.new',
      title: 'New download …',
      group: 'Data',
      keywords: 'compose fetch files plan',
      shortcuts: ['g n'],
      run: () => router.push('/downloads/new'),
    },
    {
      id: 'downloads.pauseAll',
      title: 'Pause all downloads',
      group: 'Data',
      keywords: 'queue stop',
      when: () => downloads.left > 0,
      run: () => downloads.pause({ filter: {} }),
    },
    {
      id: 'downloads.resumeAll',
      title: 'Resume all downloads',
      group: 'Data',
      keywords: 'queue continue',
      when: () => (counts()?.paused ?? 0) + (counts()?.waiting ?? 0) > 0,
      run: () => downloads.resume({ filter: {} }),
    },
    {
      id: 'downloads.retryFailed',
      title: 'Retry failed downloads',
      group: 'Data',
      keywords: 'queue again',
      when: () => (counts()?.failed ?? 0) > 0,
      run: () => downloads.retry({ filter: { states: ['failed'] } }),
    },
  ]
}
