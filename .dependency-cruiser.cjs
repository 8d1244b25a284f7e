// The walls of ARCHITECTURE.md: who may import whom. tests/architecture/layers.test.ts proves that each one fires.

/** Domains that a domain may call, always through the other's index.ts. Whatever is not here is forbidden. */
const arrows = {
  accounts: [],
  'account-claim': ['accounts', 'devices', 'organizations', 'security-events'],
  audit: ['organizations', 'sessions'],
  mail: [],
  'email-links': [],
  devices: ['accounts', 'mail'],
  vault: [],
  builder: [],
  embed: ['organizations', 'rate-limits', 'shell'],
  sharing: [],
  organizations: ['accounts', 'mail', 'rate-limits', 'vault'],
  'app-roles': ['accounts', 'organizations', 'sessions'],
  'rate-limits': [],
  shell: [],
  'oauth-client': ['rate-limits', 'security-events'],
  'security-events': [],
  'local-migration': ['sessions'],
  'auth-library': ['accounts', 'devices'],
  sessions: ['accounts', 'auth-library', 'devices', 'organizations'],
  'provider-sign-in': ['accounts', 'auth-library', 'rate-limits', 'security-events'],
  'sign-in': [
    'accounts',
    'auth-library',
    'devices',
    'email-links',
    'mail',
    'passkeys',
    'provider-sign-in',
    'rate-limits',
    'sessions',
    'two-factor',
  ],
  passkeys: ['accounts', 'auth-library', 'devices', 'rate-limits'],
  'two-factor': ['accounts', 'auth-library', 'devices', 'rate-limits'],
  peers: [],
  'author-context': ['accounts', 'oauth-client', 'organizations', 'peers', 'sessions', 'vault'],
  actions: ['audit', 'author-context', 'embed', 'organizations', 'sessions'],
  a2a: ['accounts', 'actions', 'organizations', 'peers', 'rate-limits', 'security-events', 'sessions'],
  'identity-hub': ['accounts', 'auth-library', 'peers', 'rate-limits', 'security-events', 'sessions'],
  'desktop-sso': ['identity-hub', 'rate-limits', 'security-events', 'sessions'],
  collections: ['author-context', 'organizations', 'sessions', 'sharing'],
  'oauth-server': ['accounts', 'auth-library', 'mail', 'organizations', 'rate-limits', 'sessions', 'security-events'],
  mcp: ['actions', 'author-context', 'oauth-server', 'organizations', 'rate-limits'],
}

/** Libraries that have one door: only this part of the code may import them. */
const doors = {
  'better-auth': '^server/domains/auth-library/',
  'openid-client': '^server/domains/oauth-client/',
  '@simplewebauthn/server': '^server/domains/passkeys/',
  '@libsql/client|libsql': '^server/foundation/database/',
  'playwright-core': '^desktop/program/',
}

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

const domainRules = Object.entries(arrows).map(([domain, allowed]) =>
  rule(
    `arrows-of-${domain}`,
    `${domain} may call: ${allowed.join(', ') || 'no other domain'}`,
    { path: `^server/domains/${domain}/` },
    { path: '^server/domains/', pathNot: [domain, ...allowed].map(name => `^server/domains/${name}/`) },
  ),
)

const doorRules = Object.entries(doors).map(([library, path]) =>
  rule(
    `door-of-${library
      .split('|')[0]
      .replaceAll(/[^a-z-]+/g, '-')
      .replace(/^-/, '')}`,
    `only ${path} may import ${library}`,
    { path: '^(server|shared|app|modules|cli)/', pathNot: path },
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
      { path: '^server/(routes|api|middleware|mounted|plugins|error-handler|platform)(/|\\.)' },
    ),
    rule(
      'app-not-server',
      'the app speaks to the server by HTTP; types only',
      { path: '^app/' },
      { path: '^server/', dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'shared-is-pure',
      'shared imports zod and itself',
      { path: '^shared/' },
      { pathNot: '^shared/|(^|/)node_modules/zod/' },
    ),
    rule(
      'desktop-stands-alone',
      'the desktop library runs anywhere: it imports zod, shared and itself',
      { path: '^desktop/', pathNot: '^desktop/program/' },
      { pathNot: '^(desktop|shared)/|(^|/)node_modules/zod/' },
    ),
    rule(
      'desktop-program',
      'the desktop program knows the library, a browser, files and processes, and nothing else of ours',
      { path: '^desktop/program/' },
      {
        pathNot:
          '^(desktop|shared)/|(^|/)node_modules/(zod|playwright-core)/|^(node:)?(child_process|crypto|fs/promises|net|path|timers/promises)$',
      },
    ),
    rule(
      'desktop-knows-no-browser',
      'a browser is only in the desktop program',
      { path: '^desktop/', pathNot: '^desktop/program/' },
      { path: '^desktop/program/|(^|/)node_modules/(playwright-core|@playwright/test)/' },
    ),
    rule(
      'foundation-below-domains',
      'foundation knows no domain',
      { path: '^server/foundation/' },
      { path: '^server/(?!foundation/)' },
    ),
    rule(
      'domains-below-facade',
      'domains know neither the facade nor the author places',
      { path: '^server/domains/' },
      { path: '^server/(fw|compose|schema|fw\\.config)\\.ts$|^server/(actions|collections|database|mcp)/' },
    ),
    rule(
      'domains-through-index',
      "another domain's inner files are its own",
      { path: '^server/domains/([^/]+)/' },
      { path: '^server/domains/[^/]+/.+', pathNot: ['^server/domains/$1/', '^server/domains/[^/]+/index\\.ts$'] },
    ),
    rule(
      'authors-use-the-facade',
      'actions, what hosts see and author tables import #fw, shared, drizzle-orm, zod, their own tables and fw.config',
      { path: '^server/(actions|collections|database|mcp)/' },
      {
        pathNot:
          '^(server/fw(-tables|\\.config)?\\.ts|server/database/|server/actions/|server/mcp/|shared/)|(^|/)node_modules/(drizzle-orm|zod)/',
      },
    ),
    rule(
      'platform-above-domains',
      "the platform's own declarations import domains, foundation, shared and zod",
      { path: '^server/platform/' },
      { pathNot: '^server/(domains/[^/]+/index\\.ts|foundation/|platform/)|^shared/|(^|/)node_modules/zod/' },
    ),
    rule(
      'crypto-door',
      'only foundation/crypto and the page renderer may use node:crypto',
      { path: '^(server|shared|app)/', pathNot: '^server/foundation/crypto/' },
      { path: '^(node:)?crypto$' },
    ),
    ...domainRules,
    ...doorRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: '.nuxt/tsconfig.server.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
