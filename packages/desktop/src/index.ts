/** The desktop library: workspace sign-in for a program that shows several web applications, over a small host interface. */
export { createBroker, type Broker, type BrokerInput } from './broker'
export type { DesktopApp } from './eligibility'
export {
  type DesktopHost,
  type DesktopWindow,
  type HostAnswer,
  type HostRequest,
  type PartitionCookies,
  type WindowInput,
  appPartition,
  HUB_PARTITION,
} from './host'
export { createPageClient, type PageBridge, type PageClient } from './page-client'
export {
  desktopAnswerSchema,
  desktopCommandSchema,
  desktopStatusSchema,
  type DesktopAnswer,
  type DesktopCommand,
  type DesktopStatus,
} from 'nuxt-fairway/desktop-wire'
