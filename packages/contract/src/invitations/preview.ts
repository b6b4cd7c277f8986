import * as z from 'zod/mini';
import { defineRoute } from '../route.ts';
import { rowTextMaximum } from '../rules/limits.ts';
import { rawText } from '../values.ts';
import { InvitationLanguage, LifetimeDays, messageMaximum } from './new-invitation.ts';

const draft = (maximum: number) => z._default(rawText(maximum), '');

export const previewInvitation = defineRoute('POST /api/invitations/preview', {
  access: 'admin',
  scope: 'invitations:read',
  summary: 'The e-mail of an invitation as it would arrive, with a link that does not work. Changes nothing.',
  body: z.strictObject({
    email: draft(rowTextMaximum.email),
    name: draft(rowTextMaximum.name),
    message: draft(messageMaximum),
    language: z.optional(InvitationLanguage),
    lifetimeDays: z.optional(LifetimeDays),
  }),
  response: z.object({ subject: z.string(), html: z.string() }),
});
