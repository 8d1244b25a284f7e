// What the server's own files take from Nitro, for code that is loaded outside of it (load-server-code.mjs).
export const defineNitroErrorHandler = answer => answer
