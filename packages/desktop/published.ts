// The public API of the package, in the terms of layers/fairway/published.ts. The same test compares it with the code.
const experimental = 'experimental'

export const published = {
  /** `nuxt-fairway-desktop`. */
  desktop: {
    Broker: experimental,
    BrokerInput: experimental,
    DesktopAnswer: experimental,
    DesktopApp: experimental,
    DesktopCommand: experimental,
    DesktopHost: experimental,
    DesktopStatus: experimental,
    DesktopWindow: experimental,
    HUB_PARTITION: experimental,
    HostAnswer: experimental,
    HostRequest: experimental,
    PageBridge: experimental,
    PageClient: experimental,
    PartitionCookies: experimental,
    WindowInput: experimental,
    appPartition: experimental,
    createBroker: experimental,
    createPageClient: experimental,
    desktopAnswerSchema: experimental,
    desktopCommandSchema: experimental,
    desktopStatusSchema: experimental,
  },
  /** `nuxt-fairway-desktop/program`, which `fw desktop` runs. */
  desktopProgram: { OpenInput: experimental, ProgramFault: experimental, openWorkspace: experimental },
} as const
