/** The name of the server in a host's configuration, from the product's name. */
export const serverName = (product: string): string =>
  product
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-+|-+$/g, '') || 'app'
