/** The private header that carries the client address to the library; an incoming one never reaches it. */
export const CLIENT_ADDRESS_HEADER = 'x-fw-client-address'
