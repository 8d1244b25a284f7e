// Mounts the application's own root, as a browser does; the testing module would mount an empty one.
import { defineNuxtModule } from '@nuxt/kit'

export default defineNuxtModule({
  setup(_, nuxt) {
    nuxt.hook('app:resolve', app => {
      app.rootComponent = '#app/components/nuxt-root.vue'
    })
  },
})
