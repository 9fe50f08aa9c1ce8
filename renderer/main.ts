import './theme/cspNonce.ts'
import './theme/base.css'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { connectHost } from './host/connectHost.ts'
import { createWindowRouter } from './router.ts'
import { applyTheme, firstTheme } from './theme/applyTheme.ts'

applyTheme(firstTheme())

// The host connects before the router starts, because the first address may hold the token, which has to be removed.
const connecting = connectHost()

createApp(App, { connecting }).use(createPinia()).use(createWindowRouter()).mount('#app')
