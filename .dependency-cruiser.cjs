// The rules of ARCHITECTURE.md: who may import whom. tests/architecture/layers.test.ts proves that each one fires.

/** Domains that a domain may call, always through the other's index.ts. Whatever is not here is forbidden. */
const arrows = {
  people: [],
  organizations: ['people'],
  directory: ['actions', 'organizations', 'people'],
  mails: ['files', 'organizations', 'people'],
  inbox: ['agents', 'oauth-client', 'organizations', 'people'],
  jobs: [],
  files: ['organizations'],
  sessions: ['organizations', 'people'],
  peers: [],
  pages: ['organizations', 'people', 'sessions'],
  'oauth-client': ['peers', 'people'],
  'sign-in': ['files', 'oauth-client', 'organizations', 'people', 'sessions'],
  'oauth-server': ['actions', 'directory', 'oauth-client', 'organizations', 'peers', 'people', 'sessions'],
  setup: ['actions', 'directory', 'oauth-client', 'organizations', 'people', 'sign-in'],
  actions: ['files', 'oauth-client', 'organizations', 'pages', 'peers', 'people', 'sessions'],
  collections: ['actions', 'files', 'organizations', 'sessions'],
  agents: ['actions', 'oauth-server', 'organizations', 'peers', 'people', 'sessions'],
  changes: ['actions', 'collections', 'organizations', 'people', 'sessions'],
  operator: [],
  plans: ['actions', 'organizations'],
  webhooks: ['actions', 'organizations', 'people', 'sessions'],
  mcp: ['actions', 'agents', 'oauth-server', 'organizations', 'sessions'],
}

/** Libraries with one importer: only this part of the code may import them. */
const importers = {
  'better-auth': '^layers/fairway/server/domains/people/auth-library/',
  'openid-client': '^layers/fairway/server/domains/oauth-client/',
  standardwebhooks: '^layers/fairway/server/domains/webhooks/',
  '@simplewebauthn/server': '^layers/fairway/server/domains/sign-in/passkeys/',
  '@libsql/client|libsql': '^layers/fairway/server/kernel/database/',
  'lru-cache': '^layers/fairway/server/kernel/cache\\.ts$',
  'file-type': '^layers/fairway/server/domains/files/',
  s3mini: '^layers/fairway/server/domains/files/',
  papaparse: '^layers/fairway/shared/csv/',
  '@node-rs/bcrypt': '^layers/fairway/server/kernel/crypto/',
}

/** How the path of what an author writes begins: in the root, or in the sample once that has left it. */
const author = '^(tests/fixtures/sample/)?'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

// The operations of a domain stand above all domains, as routes do: they reach other domains through their index.
const domainRules = Object.entries(arrows).map(([domain, allowed]) =>
  rule(
    `arrows-of-${domain}`,
    `${domain} may call: ${allowed.join(', ') || 'no other domain'}`,
    { path: `^layers/fairway/server/domains/${domain}/`, pathNot: '[/-]operations\\.ts$' },
    {
      path: '^layers/fairway/server/domains/',
      pathNot: [domain, ...allowed].map(name => `^layers/fairway/server/domains/${name}/`),
    },
  ),
)

const importerRules = Object.entries(importers).map(([library, path]) =>
  rule(
    `importer-of-${library
      .split('|')[0]
      .replaceAll(/[^a-z-]+/g, '-')
      .replace(/^-/, '')}`,
    `only ${path} may import ${library}`,
    { path: '^layers/fairway/(server|shared|app|modules|cli)/', pathNot: path },
    { path: `(^|/)node_modules/(${library})/` },
  ),
)

module.exports = {
  forbidden: [
    rule('no-cycles', 'imports run one way', {}, { circular: true }),
    rule(
      'edges-are-leaves',
      "nothing imports a route, a middleware, a plugin or the platform's own declarations",
      {},
      {
        path: '^layers/fairway/server/((routes|api|middleware|mounted|plugins|actions|collections|jobs)(/|\\.)|domains/[^/]+/[a-z-]*operations\\.ts$)',
      },
    ),
    rule(
      'failures-are-answered-once',
      'the error handler is for the build, and for what tests mount as the build does',
      { pathNot: '^layers/fairway/testing/' },
      { path: '^layers/fairway/server/error-handler\\.' },
    ),
    rule(
      'tests-mount-the-platform',
      'what tests of applications run on is used by nothing that is served',
      { path: '^layers/fairway/', pathNot: '^layers/fairway/(testing/|cli/vitest\\.mjs$|cli/templates/)' },
      { path: '^layers/fairway/testing/' },
    ),
    rule(
      'app-not-server',
      'the app speaks to the server by HTTP; types only',
      { path: '^layers/fairway/app/' },
      { path: '^layers/fairway/server/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'shared-is-pure',
      'shared imports zod, papaparse and itself',
      { path: '^layers/fairway/shared/' },
      { pathNot: '^layers/fairway/shared/|(^|/)node_modules/(zod|papaparse|@types/papaparse)/' },
    ),
    rule(
      'desktop-stands-alone',
      'the desktop library runs anywhere: it imports zod, the formats that it shares with the platform, and itself',
      { path: '^packages/desktop/src/', pathNot: '^packages/desktop/src/program/' },
      {
        pathNot: '^packages/desktop/src/(?!program/)|^layers/fairway/shared/desktop-wire\\.ts$|(^|/)node_modules/zod/',
      },
    ),
    rule(
      'desktop-program',
      'the desktop program knows the library, a browser, files and processes, and nothing else of ours',
      { path: '^packages/desktop/src/program/' },
      {
        pathNot:
          '^packages/desktop/src/|^layers/fairway/shared/desktop-wire\\.ts$|(^|/)node_modules/(zod|playwright-core)/|^(node:)?(child_process|crypto|fs|fs/promises|net|os|path|timers/promises)$',
      },
    ),
    rule(
      'desktop-by-its-name',
      'the platform loads the desktop program by the name of its package, in one command',
      { path: '^layers/fairway/', pathNot: '^layers/fairway/cli/open-desktop\\.ts$' },
      { path: '^packages/|(^|/)node_modules/playwright-core/' },
    ),
    rule(
      'kernel-below-domains',
      'kernel knows no domain',
      { path: '^layers/fairway/server/kernel/' },
      { path: '^layers/fairway/server/(?!kernel/)' },
    ),
    rule(
      'domains-below-facade',
      'domains know neither the facade nor the author places',
      { path: '^layers/fairway/server/domains/' },
      {
        path: '^layers/fairway/server/(fw|compose|enter-request|schema)\\.ts$|^layers/fairway/server/(actions|collections)/|^server/|^fw\\.config',
      },
    ),
    rule(
      'domains-through-index',
      "another domain's inner files are its own",
      { path: '^layers/fairway/server/domains/([^/]+)/', pathNot: '/tables\\.ts$' },
      {
        path: '^layers/fairway/server/domains/[^/]+/.+',
        pathNot: ['^layers/fairway/server/domains/$1/', '^layers/fairway/server/domains/[^/]+/index\\.ts$'],
      },
    ),
    rule(
      'tables-refer-to-tables',
      'a table refers to columns of others, and its file is read by drizzle-kit: it imports tables and columns alone',
      { path: '^layers/fairway/server/domains/[^/]+/tables\\.ts$' },
      {
        path: '^layers/fairway/',
        pathNot:
          '/tables\\.ts$|^layers/fairway/(server/kernel/(database/columns|field-types)|shared/schemas/[^/]+)\\.ts$',
      },
    ),
    rule(
      'authors-use-the-facade',
      'an application knows of the platform what it publishes: #fw, #fw/client, nuxt-fairway/tables',
      { path: `${author}((app|server|shared)/|fw\\.config\\.ts$)` },
      { path: '^layers/fairway/', pathNot: '^layers/fairway/(server/fw(-tables)?|app/client)\\.ts$' },
    ),
    rule(
      'declarations-stand-alone',
      'actions, what hosts see and tables are read outside of the build too: they import the facade, drizzle-orm, zod and files of their own',
      { path: `${author}server/(actions|collections|database|mcp|providers)/` },
      {
        pathNot: `^layers/fairway/server/fw(-tables)?\\.ts$|${author}((server|shared)/|fw\\.config\\.ts$)|(^|/)node_modules/(drizzle-orm|zod)/`,
      },
    ),
    rule(
      'platform-above-domains',
      "the platform's own declarations import the facade, domains, kernel, shared, drizzle-orm and zod",
      { path: '^layers/fairway/server/(actions|collections|jobs)/' },
      {
        pathNot:
          '^layers/fairway/(server/(fw\\.ts|domains/[^/]+/index\\.ts|kernel/|actions/|collections/)|shared/)|(^|/)node_modules/(drizzle-orm|zod)/',
      },
    ),
    rule(
      'platform-without-an-application',
      'the platform imports nothing of the application that extends it; its settings come by #fw/config',
      { path: '^layers/fairway/' },
      { path: '^(app|server|shared|tests|scripts|bench)/', pathNot: '^fw\\.config\\.ts$' },
    ),
    rule(
      'crypto-importer',
      'only kernel/crypto and the page renderer may use node:crypto',
      { path: '^layers/fairway/(server|shared|app)/', pathNot: '^layers/fairway/server/kernel/crypto/' },
      { path: '^(node:)?crypto$' },
    ),
    ...domainRules,
    ...importerRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: '.nuxt/tsconfig.server.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
