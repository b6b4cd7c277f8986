/** Validation errors of the invite dialog by field. */
import { t } from '@lingui/core/macro';
import { invitationErrors } from '@vestibule/contract/invitations';
import { NewInvitation } from '@vestibule/contract/invitations/new-invitation';
import { formatNumber } from '../../../language/formats.ts';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import { activeOrganization } from '../../../lib/active-organization.ts';
import { problemsByField } from '../../../lib/field-problems.ts';
import type { FieldErrors } from '../../../ui/fields/use-form.ts';
import { countAddresses } from '../invitation-texts.ts';
import { allRecipients, isSingleInvitation, singleInvitationBody, type InviteDraft } from './invite-draft.ts';

/** Validates with the contract's rules and the maximum number of recipients. */
export function validateDraft(draft: InviteDraft, maximum: number): FieldErrors {
  if (draft.lists.some(({ pendingChoices }) => pendingChoices))
    return { addresses: t`A file is still being read. Try again in a moment.` };
  const { length } = allRecipients(draft);
  if (length === 0) return { addresses: t`Enter the e-mail address of the person to invite.` };
  if (length > maximum)
    return {
      addresses: t`There are ${countAddresses(length)}; one list can hold at most ${formatNumber(maximum)}. Split it and invite one part at a time.`,
    };
  const problems = problemsByField(NewInvitation, {
    ...singleInvitationBody(draft),
    // The server checks addresses.
    email: 'a@example.com',
    ...(!isSingleInvitation(draft) && { name: '' }),
    // The form offers the roles of the organization only.
    ...(activeOrganization() && { role: 'member' }),
  });
  return Object.fromEntries(Object.entries(problems).map(([name, text]) => [formFieldOf(name), text]));
}

export function toFieldErrors(error: unknown): FieldErrors {
  const addressErrors: string[] = [
    invitationErrors.alreadyInvited.code,
    invitationErrors.alreadyMember.code,
    invitationErrors.domainNotAllowed.code,
  ];
  if (error instanceof CallFailure && addressErrors.includes(error.code)) return { addresses: error.message };
  return Object.fromEntries(
    Object.entries(toFormErrors(error)).map(([name, text]) => [formFieldOf(name), text]),
  );
}

function formFieldOf(field: string): string {
  return field === 'email' ? 'addresses' : field;
}
