// Replaces the parts of Nitro that server files import, for code that is loaded outside Nitro (load-server-code.mjs).
export const defineNitroErrorHandler = answer => answer
