import {
  desktopAnswerSchema,
  desktopCommandSchema,
  desktopStatusSchema,
  type DesktopAnswer,
  type DesktopCommand,
  type DesktopStatus,
} from '../shared/schemas/desktop'

/** What a host puts into its pages as `window.fairwayDesktop`. */
export interface PageBridge {
  send(message: unknown): Promise<unknown>
  /** Tells every change; what it gives ends that. */
  onStatus(listener: (status: unknown) => void): () => void
}

export interface PageClient {
  /** Sends a command; throws when the command or the answer is not what the schema allows. */
  send(command: DesktopCommand): Promise<DesktopAnswer>
  /** Tells every status that fits the schema; what it gives ends that. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
}

/** The page's side of the bridge: what it sends and what it takes are parsed by the strict schemas. */
export const createPageClient = (bridge: PageBridge): PageClient => ({
  send: async command => desktopAnswerSchema.parse(await bridge.send(desktopCommandSchema.parse(command))),
  onStatus: listener =>
    bridge.onStatus(message => {
      const status = desktopStatusSchema.safeParse(message).data
      if (status) listener(status)
    }),
})
