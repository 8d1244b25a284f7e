// The platform lies in layers/fairway, where Nuxt finds it by itself.
export default defineNuxtConfig({})
