import { createApp, type Component } from 'vue'
import '../../../../renderer/theme/base.css'
import { applyTheme } from '../../../../renderer/theme/applyTheme.ts'
import { applyDensity, applyZoom } from '../../../../renderer/theme/density.ts'
import BenchPage from './BenchPage.vue'
import ChartPage from './ChartPage.vue'
import SmallPage from './SmallPage.vue'

const query = new URLSearchParams(location.search)
applyTheme(query.get('theme') === 'light' ? 'light' : 'dark')
applyDensity('compact')
applyZoom(Number(query.get('zoom') ?? 1))
const pages: Record<string, Component> = { small: SmallPage, bench: BenchPage }
createApp(pages[query.get('kind') ?? ''] ?? ChartPage).mount('#app')
