/** The desktop library: workspace sign-in for an application that shows several web applications, over a small host interface. */
export { createBroker, type Broker, type BrokerInput } from './broker'
export type { DesktopApp } from './desktop-app'
export type { DesktopHost, DesktopWindow, HostAnswer, HostRequest, PartitionCookies, WindowInput } from './host'
export { createPageClient, type PageBridge, type PageClient } from './page-client'
export { appPartition, HUB_PARTITION } from './partitions'
export {
  desktopAnswerSchema,
  desktopCommandSchema,
  desktopStatusSchema,
  type DesktopAnswer,
  type DesktopCommand,
  type DesktopStatus,
} from '../shared/schemas/desktop'
