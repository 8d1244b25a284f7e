import { fileURLToPath } from 'node:url'

// A layer's own paths are absolute: `~` and `~~` refer to the application that extends it.
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
  // `#fairway` is the platform's own code, `#fw` is for authors. #shared, #server, ~ and ~~ are the author's, as in every Nuxt
  // project.
  alias: { '#fairway': layerDir, '#fw/client': path('./app/client.ts'), '#fw': path('./server/fw.ts') },
  // Without an explicit host, the server would be open to the network in containers.
  devServer: { host: process.env.NUXT_HOST || process.env.NITRO_HOST || process.env.HOST || 'localhost' },
  devtools: { enabled: false },
  telemetry: false,
  // One colour for actions, one for deletion, one for warnings. Every further colour adds CSS and JavaScript.
  // The style sheet contains only the used parts of the component library: all of it would be twice as large.
  ui: {
    fonts: false,
    theme: { colors: ['primary', 'warning', 'error'] },
    experimental: { componentDetection: true },
  },
  // Icons are part of the build. There is no icon endpoint and no network request.
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
      link: [{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' }],
      script: [
        {
          // Runs before the first paint, so that the frame does not jump (app/composables/useFrame.ts).
          innerHTML: `try{if(localStorage.getItem('fairway-sidebar')==='icons')document.documentElement.dataset.sidebar='icons'}catch{}`,
          tagPriority: 'critical',
        },
      ],
    },
  },
  experimental: {
    // Pages declare who may see them and their position in the navigation. The build reads both (modules/pages).
    extraPageMetaExtractionKeys: ['public', 'embed', 'layout', 'navigation'],
    // The compiler checks the arguments of `to` and `navigateTo`: names of pages, and the parts of their paths.
    typedPages: true,
    appManifest: false,
    payloadExtraction: false,
    // The payload of a public page is a script, so no page loads a parser for it.
    renderJsonPayloads: false,
    // The server renders compiled code: with this, the build excludes Vue's compilers and Babel.
    externalVue: false,
    componentIslands: false,
    // A page's code is loaded when the user turns to its link, not when the link is visible.
    defaults: { nuxtLink: { prefetchOn: { interaction: true, visibility: false } } },
  },
  routeRules: {
    '/_fonts/**': {
      headers: { 'cache-control': 'public, max-age=31536000, immutable', 'x-content-type-options': 'nosniff' },
    },
    '/_nuxt/**': {
      headers: {
        'cache-control': 'public, max-age=31536000, immutable',
        // Public files are served before server/middleware, which sets this header for everything else.
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      },
    },
  },
  nitro: {
    errorHandler: path('./server/error-handler'),
    serverAssets: [{ baseName: 'migrations', dir: path('./drizzle') }],
    esbuild: { options: { jsx: 'automatic', jsxImportSource: 'vue', target: 'es2024' } },
    // @simplewebauthn/server requires the global that this package defines. It imports nothing from it, so the bundler would drop
    // it.
    moduleSideEffects: ['reflect-metadata/'],
    compressPublicAssets: { gzip: true, brotli: true },
  },
  hooks: {
    'build:manifest': manifest => {
      // The first page loads only its own code. Dialogs and other pages load when needed.
      for (const item of Object.values(manifest)) item.prefetch = false
    },
  },
  vite: {
    plugins: [
      {
        name: 'fairway:parts',
        apply: 'build',
        // Code shared by many pages is one chunk: chunks of a kilobyte would cost a round trip each.
        configEnvironment: name =>
          name === 'client'
            ? {
                build: {
                  // Every browser that can run the rest of the script supports preload.
                  modulePreload: { polyfill: false },
                  rolldownOptions: {
                    treeshake: {
                      // The build reads these calls. The browser's version of the function does nothing.
                      manualPureFunctions: ['definePageMeta'],
                      // Nuxt Icon imports `useAsyncData` and never calls it in a browser.
                      moduleSideEffects: [
                        { test: /nuxt\/dist\/(app|pages\/runtime)\/composables\//, sideEffects: false },
                      ],
                    },
                    output: {
                      codeSplitting: {
                        // Dependencies that a chunk does not use stay out of it.
                        includeDependenciesRecursively: false,
                        groups: [
                          { name: 'start', tags: ['$initial'] },
                          {
                            name: 'common',
                            minShareCount: 12,
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
    // Listed explicitly, so that the first page in development is not loaded twice.
    // A library that development finds later reloads the page: an import would lose the chosen file.
    optimizeDeps: { include: ['zod/mini', 'papaparse'] },
    // The terminal of `nuxt dev` shows errors that nothing catches in the browser.
    server: { forwardConsole: { unhandledErrors: true, logLevels: ['error'] } },
    define: {
      // This code and its libraries never use the Options API.
      __VUE_OPTIONS_API__: 'false',
    },
  },
  typescript: { strict: true },
  $production: {
    // Node.js reads none, and they take a quarter of a build. An application that sends its errors to a service switches them on.
    sourcemap: { server: false },
    nitro: {
      // Bundled packages start the server three times faster than packages loaded from node_modules; libsql and bcrypt are native.
      // papaparse has code in strings, which the bundler would rewrite.
      externals: {
        inline: [/node_modules\/(?!libsql\/|@node-rs\/|ws\/|papaparse\/|@libsql\/(?!client|core|hrana|isomorphic))/],
      },
    },
  },
})
