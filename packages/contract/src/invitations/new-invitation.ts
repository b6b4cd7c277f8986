/** Fields of a new invitation, which several routes accept. */
import * as z from 'zod/mini';
import { fieldTexts } from '../texts/field-texts.ts';
import { lifetimeMaximumDays } from '../rules/limits.ts';
import { Role } from '../rules/role.ts';
import { Id, InvitedAddress, lineOfText, linesOfText, wholeNumber } from '../values.ts';
import { schemaMessage } from '../texts/text.ts';

export const InvitationLanguage = z.enum(['en', 'de'], 'A language is en or de.');
export type InvitationLanguage = z.output<typeof InvitationLanguage>;

export const LifetimeDays = wholeNumber([1, lifetimeMaximumDays], fieldTexts.wholeDays);

/** Must be empty. Version 1.0.0 attached files to invitations, and its pages always send the field. */
const attachmentIds = z._default(
  z.array(Id).check(z.maxLength(0, schemaMessage(fieldTexts.filesNotAttachable))),
  [],
);

export const nameMaximum = 100;
export const messageMaximum = 2000;

export const NewInvitation = z.strictObject({
  email: InvitedAddress,
  name: z._default(lineOfText(nameMaximum), ''),
  role: z._default(Role, 'member'),
  message: z._default(linesOfText(messageMaximum), ''),
  lifetimeDays: z.optional(LifetimeDays),
  language: z.optional(InvitationLanguage),
  attachmentIds: attachmentIds,
});
export type NewInvitation = z.output<typeof NewInvitation>;
