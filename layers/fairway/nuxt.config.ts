import { fileURLToPath } from 'node:url'

// A layer's own paths are absolute: `~` and `~~` mean the application that extends it.
const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const layerDir = path('.').replace(/[\\/]$/, '')

if (Number(process.versions.node.split('.')[0]) < 24)
  throw new Error(
    `Fairway needs Node.js 24 or newer; this is ${process.versions.node}. Install it; \`npx fw doctor\` names a package with one.`,
  )

export default defineNuxtConfig({
  $meta: { name: 'fairway' },
  compatibilityDate: '2026-11-01',
  modules: ['@nuxt/ui'],
  css: [path('./app/assets/main.css')],
  // `#fairway` is the platform's own code, `#fw` what authors use; #shared, #server, ~ and ~~ are the author's, as in every Nuxt project.
  alias: { '#fairway': layerDir, '#fw/client': path('./app/client.ts'), '#fw': path('./server/fw.ts') },
  // Without a host of its own the server would be open to the network in containers.
  devServer: { host: process.env.NUXT_HOST || process.env.NITRO_HOST || process.env.HOST || 'localhost' },
  devtools: { enabled: false },
  telemetry: false,
  // One colour for what to do, one for loss, one for “think first”; every further one is more CSS and JavaScript.
  // The style sheet has what is used of the component library: all of it would be twice as large.
  ui: {
    fonts: false,
    theme: { colors: ['primary', 'warning', 'error'] },
    experimental: { componentDetection: true },
  },
  // Icons come with the build; there is no icon endpoint and nothing is asked from the network.
  icon: {
    provider: 'none',
    serverBundle: false,
    collections: ['lucide'],
    clientBundle: { scan: { globInclude: ['app/**/*.{vue,ts}', 'server/collections/**/*.ts'] } },
    fallbackToApi: false,
  },
  colorMode: { preference: 'system', fallback: 'light', storage: 'localStorage', storageKey: 'fairway-theme' },
  spaLoadingTemplate: true,
  components: [{ path: path('./app/components'), pathPrefix: false }],
  app: {
    head: {
      htmlAttrs: { lang: 'en' },
      link: [{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }],
      script: [
        {
          // Before the first paint, so that the frame does not jump (app/composables/useFrame.ts).
          innerHTML: `try{if(localStorage.getItem('fairway-sidebar')==='icons')document.documentElement.dataset.sidebar='icons'}catch{}`,
          tagPriority: 'critical',
        },
      ],
    },
  },
  experimental: {
    // Pages say who may see them and where they stand in the navigation; the build reads that (modules/pages).
    extraPageMetaExtractionKeys: ['public', 'embed', 'layout', 'navigation'],
    // What `to` and `navigateTo` name is known to the compiler: names of pages, and the parts of their paths.
    typedPages: true,
    appManifest: false,
    payloadExtraction: false,
    // The server renders what is compiled: with this, the build leaves Vue's compilers and Babel out of it.
    externalVue: false,
    componentIslands: false,
    // A page's code is fetched when the user turns to its link, not as soon as the link is seen.
    defaults: { nuxtLink: { prefetchOn: { interaction: true, visibility: false } } },
  },
  routeRules: {
    '/_fonts/**': {
      headers: { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
    },
    '/_nuxt/**': {
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        // Files are answered before server/middleware, which says this of everything else.
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      },
    },
  },
  nitro: {
    errorHandler: path('./server/error-handler'),
    serverAssets: [{ baseName: 'migrations', dir: path('./drizzle') }],
    esbuild: { options: { jsx: 'automatic', jsxImportSource: 'vue', target: 'es2024' } },
    // @simplewebauthn/server needs the global that this one makes; nothing is imported from it, so the bundler would drop it.
    moduleSideEffects: ['reflect-metadata/'],
    compressPublicAssets: { gzip: true, brotli: true },
  },
  hooks: {
    'build:manifest': manifest => {
      // The first page loads what it shows; dialogs and other pages come when they are needed.
      for (const item of Object.values(manifest)) item.prefetch = false
    },
  },
  vite: {
    plugins: [
      {
        name: 'fairway:parts',
        apply: 'build',
        // What many pages share comes in one part: parts of a kilobyte would cost a round trip each.
        configEnvironment: name =>
          name === 'client'
            ? {
                build: {
                  // Every browser that the rest of the script needs can preload.
                  modulePreload: { polyfill: false },
                  rolldownOptions: {
                    output: {
                      codeSplitting: {
                        groups: [
                          { name: 'start', tags: ['$initial'] },
                          {
                            name: 'common',
                            minShareCount: 8,
                            test: /fairway\/(app|shared)\/(?!.*(Dialog|OrganizationTexts))/,
                          },
                        ],
                      },
                    },
                  },
                },
              }
            : undefined,
      },
    ],
    // Known beforehand, so that the first page in development is not loaded twice.
    // A library that development finds later reloads the page: an import would lose the file that was chosen.
    optimizeDeps: { include: ['zod/mini', 'papaparse'] },
    define: {
      // No component here, and none of the libraries', is written with the Options API.
      __VUE_OPTIONS_API__: 'false',
    },
  },
  typescript: { strict: true },
  $production: {
    nitro: {
      // Bundled packages start the server three times faster than the same ones loaded from node_modules; libsql is native.
      // papaparse has code in texts, which the bundler would rewrite.
      externals: { inline: [/node_modules\/(?!libsql\/|ws\/|papaparse\/|@libsql\/(?!client|core|hrana|isomorphic))/] },
    },
  },
})
