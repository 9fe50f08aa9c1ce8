import './theme/cspNonce.ts'
import './theme/base.css'
import { createPinia } from 'pinia'
import { createApp } from 'vue'
import App from './App.vue'
import { connectHost } from './host/connectHost.ts'
import { createWindowRouter } from './router.ts'
import { keepLoadingStyles } from './components/lazyPart.ts'
import { applyTheme, firstTheme } from './theme/applyTheme.ts'

applyTheme(firstTheme())
keepLoadingStyles()

const connecting = connectHost()

createApp(App, { connecting }).use(createPinia()).use(createWindowRouter()).mount('#app')
