declare module '#app' {
  interface PageMeta {
    /** Rendered on the server with its real content and shown to everybody; every other page is behind the session gate. */
    public?: boolean
    /** Shown without the session gate inside another site; the page brings a token of its own. */
    embed?: boolean
  }
}

export {}
