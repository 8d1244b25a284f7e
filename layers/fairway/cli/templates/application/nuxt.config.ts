export default defineNuxtConfig({ extends: ['nuxt-fairway'] })
