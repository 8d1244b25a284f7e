declare module '#app' {
  interface PageMeta {
    /** Rendered on the server with its real content and shown to everybody; every other page is behind the session gate. */
    public?: boolean
    /** Shown without the session gate inside another site; the page brings a token of its own. */
    embed?: boolean
    /** False for pages that show nothing of an organization: they are open to somebody whose organization asks for another way to sign in. */
    needsOrganization?: boolean
  }
}

export {}
