import {
  desktopAnswerSchema,
  desktopCommandSchema,
  desktopStatusSchema,
  type DesktopAnswer,
  type DesktopCommand,
  type DesktopStatus,
} from 'nuxt-fairway/desktop-wire'

/** The object that a host exposes to its pages as `window.fairwayDesktop`. */
export interface PageBridge {
  send(message: unknown): Promise<unknown>
  /** Reports every change; the returned function unsubscribes. */
  onStatus(listener: (status: unknown) => void): () => void
}

export interface PageClient {
  /** Sends a command; throws when the command or the response does not match the schema. */
  send(command: DesktopCommand): Promise<DesktopAnswer>
  /** Reports every status that matches the schema; the returned function unsubscribes. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
}

/** The page's side of the bridge: the strict schemas parse everything that it sends and receives. */
export const createPageClient = (bridge: PageBridge): PageClient => ({
  send: async command => desktopAnswerSchema.parse(await bridge.send(desktopCommandSchema.parse(command))),
  onStatus: listener =>
    bridge.onStatus(message => {
      const status = desktopStatusSchema.safeParse(message).data
      if (status) listener(status)
    }),
})
