/** Settings: how this deployment is configured, for administrators to read. Nothing secret is among it. */
import * as z from 'zod/mini';
import { defineRoute } from './route.ts';

export const Settings = z.object({
  productName: z.string(),
  supportEmail: z.string(),
  publicUrl: z.string(),
  invitationLifetimeDays: z.number(),
  /** Where mails go: an SMTP server, or the development mailbox. */
  mail: z.enum(['smtp', 'development-mailbox']),
  mailFrom: z.string(),
  /** Host name of the sign-in service. */
  provider: z.string(),
  providerIsEmbedded: z.boolean(),
});
export type Settings = z.output<typeof Settings>;

export const getSettings = defineRoute({
  method: 'GET',
  path: '/api/settings',
  access: 'admin',
  summary: 'How this deployment is configured.',
  answer: Settings,
});
