import { createApp } from 'vue'
import '../../../../renderer/theme/base.css'
import { applyTheme, applyDensity, applyZoom } from '../../../../renderer/theme/applyTheme.ts'
import ChartPage from './ChartPage.vue'
import SmallPage from './SmallPage.vue'

const query = new URLSearchParams(location.search)
applyTheme(query.get('theme') === 'light' ? 'light' : 'dark')
applyDensity('compact')
applyZoom(Number(query.get('zoom') ?? 1))
createApp(query.get('kind') === 'small' ? SmallPage : ChartPage).mount('#app')
