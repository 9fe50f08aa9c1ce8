import './theme/cspNonce.ts'
import './theme/base.css'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { connectHost } from './host/connectHost.ts'
import { createWindowRouter } from './router.ts'
import { applyTheme, firstTheme } from './theme/applyTheme.ts'

applyTheme(firstTheme())

// Before the router: the first address may hold the token, which has to leave it.
const connecting = connectHost()

createApp(App, { connecting }).use(createPinia()).use(createWindowRouter()).mount('#app')
