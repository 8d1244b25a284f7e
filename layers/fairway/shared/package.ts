/** The npm package with the command line `fw`, for machines without a copy of the application. */
export const PACKAGE_NAME = 'nuxt-fairway'

/** The version of package.json. */
export const VERSION = '0.1.0'

/**
 * Whether the package is on npm. Until then, pages that name the package say that it is not; `private` in package.json means the
 * same.
 */
export const IS_PUBLISHED = false

/** The name of the server in a host's configuration, from the product's name. */
export const serverName = (product: string): string =>
  product
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'app'
