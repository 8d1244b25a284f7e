/** The npm package with the command line `fw`, for machines without a copy of the application. */
export const PACKAGE_NAME = 'nuxt-fairway'

/** The package with the desktop program. It has the same versions. */
export const DESKTOP_PACKAGE = 'nuxt-fairway-desktop'

/** The version of both packages. */
export const VERSION = '0.1.0'

/**
 * Whether the package is on npm. Until then, pages show commands that work without it. `npm run release` sets this, `private` in
 * package.json and the marked texts of documents.
 */
export const IS_PUBLISHED = false

/** The name of the server in a host's configuration, from the product's name. */
export const serverName = (product: string): string =>
  product
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'app'
