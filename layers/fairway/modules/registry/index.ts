import { defineNuxtModule } from '@nuxt/kit'
import { addMcpCatalog } from './mcp-catalog'
import { registerActions } from './register-actions'
import { registerCollections } from './register-collections'
import { registerProviders } from './register-providers'

/** Finds what the application declares at build time: actions, collections, providers, and what MCP hosts see besides. */
export default defineNuxtModule({
  meta: { name: 'registry' },
  setup(_options, nuxt) {
    registerActions(nuxt)
    registerCollections(nuxt)
    addMcpCatalog(nuxt)
    registerProviders(nuxt)
  },
})
