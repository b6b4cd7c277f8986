/** Validation errors of the invite dialog by field. */
import { t } from '@lingui/core/macro';
import { invitationErrors } from '@vestibule/contract/invitations';
import { formatNumber } from '../../../language/formats.ts';
import { CallFailure } from '../../../language/call-failure.ts';
import { toFormErrors } from '../../../language/field-errors.ts';
import type { FieldErrors } from '../../../ui/fields/use-form.ts';
import { countAddresses } from '../invitation-texts.ts';
import { allRecipients, type InviteDraft } from './invite-draft.ts';

/** Checks the number of recipients; the server checks everything else. */
export function validateDraft(draft: InviteDraft, maximum: number): FieldErrors {
  if (draft.lists.some(({ pendingChoices }) => pendingChoices))
    return { addresses: t`A file is still being read. Try again in a moment.` };
  const { length } = allRecipients(draft);
  if (length === 0) return { addresses: t`Enter the e-mail address of the person to invite.` };
  if (length > maximum)
    return {
      addresses: t`There are ${countAddresses(length)}; one list can hold at most ${formatNumber(maximum)}. Split it and invite one part at a time.`,
    };
  return {};
}

export function toFieldErrors(error: unknown): FieldErrors {
  const addressErrors: string[] = [
    invitationErrors.alreadyInvited.code,
    invitationErrors.alreadyMember.code,
    invitationErrors.domainNotAllowed.code,
  ];
  if (error instanceof CallFailure && addressErrors.includes(error.code)) return { addresses: error.message };
  const { email, ...others } = toFormErrors(error);
  return email === undefined ? others : { ...others, addresses: email };
}
