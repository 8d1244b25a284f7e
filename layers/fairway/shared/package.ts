/** The npm package with the command line `fw`, for machines without a copy of the application. */
export const PACKAGE_NAME = 'nuxt-fairway'

/** Whether npm has it. Until then pages that name the package say so; package.json says the same by `private`. */
export const IS_PUBLISHED = false
