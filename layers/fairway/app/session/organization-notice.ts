// One loader for the gate, the frame and every notice: each further one would be part of the first page.
import { defineAsyncComponent } from 'vue'

/** What to show where the organization of the page is not the one that the user works in. */
export const OrganizationNotice = defineAsyncComponent(
  () => import('../components/organizations/OrganizationNotice.vue'),
)
