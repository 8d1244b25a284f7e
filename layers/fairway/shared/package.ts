/** The npm package with the command line `fw`, for whoever has no copy of the application at hand. */
export const PACKAGE_NAME = 'nuxt-fairway'

/** Whether npm has it. Until then pages that name the package say so; package.json says the same by `private`. */
export const IS_PUBLISHED = false
