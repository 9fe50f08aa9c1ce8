import { createApp } from 'vue'
import TablePage from './TablePage.vue'
import './page.css'

document.documentElement.dataset.theme = new URLSearchParams(location.search).get('theme') ?? 'dark'
createApp(TablePage).mount('#app')
