import type { RouterConfig } from 'nuxt/schema'
import { createWebHistory } from 'vue-router'
import { addressOf, pageOrg } from './session/page-org'

/** With an organization in the address, paths of the router begin after it. */
export default {
  history() {
    if (import.meta.server || !pageOrg.slug) return undefined
    const base = addressOf('')
    // Nuxt would look for the whole path among the pages, unless the document says which page it is.
    useNuxtApp().payload.path ??= location.pathname.slice(base.length) || '/'
    return createWebHistory(base)
  },
} satisfies RouterConfig
