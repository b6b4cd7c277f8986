/** How the mail of an invitation will look, while it is being written. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { defineRoute } from '../route.ts';
import { rowTextMaximum } from '../rules/limits.ts';
import { sentence } from '../texts/text.ts';
import { InvitationLanguage, LifetimeDays, messageMaximum } from './new-invitation.ts';

/** Text that is not finished: it need not be right, only short. */
const draft = (maximum: number) =>
  z._default(z.string().check(z.maxLength(maximum, sentence(fieldTexts.tooLong, { maximum }))), '');

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
  answer: z.object({ subject: z.string(), html: z.string() }),
});
