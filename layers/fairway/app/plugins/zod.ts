import * as z from 'zod/mini'

/** Schemas are read, not compiled: the content security policy allows no code from text. */
export default defineNuxtPlugin({
  name: 'zod',
  setup() {
    z.config({ jitless: true })
  },
})
