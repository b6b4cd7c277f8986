import { defineTexts } from '../texts/text.ts';

/** Sentences that explain the state of an invitation. Some states need several. */
export const explanations = defineTexts('invitation_explanation', {
  redeemed: 'The invited person signed up on {day}.',
  revoked: 'Revoked on {day}. The link no longer works.',
  revokedBy: 'Revoked on {day} by {by}. The link no longer works.',
  inviteAgain: 'If that was a mistake, invite the address again.',
  cameTooLate: 'The invited person tried to sign in after that, most recently on {day}, and was refused.',
  expired: 'Expired on {day}.',
  renew: 'Renew it to e-mail a new link.',
  replaced:
    'A later invitation to this address replaced it. Its link no longer works, and it cannot be renewed. Check the later one; if that has ended too, invite the address again.',
  triedTooLate: 'Someone tried the link after that, on {day}.',
  mailHadFailed: 'The e-mail never arrived. Check the address before you renew.',
  hadCancelled: 'The person opened the link and cancelled at the sign-in service.',
  hadBegun: 'The person opened the link but did not finish signing up.',
  hadOpened: 'The link was opened, but not used to sign up.',
  neverOpened: 'As far as we know, the link was not opened.',
  anotherEmail:
    'Someone followed the link and signed in with a different e-mail address. Ask them to sign in with the invited address, or change the address of this invitation.',
  unverifiedEmail:
    'Someone signed up, but the sign-in service did not provide a verified e-mail address, so the invitation could not be matched. Ask support to check the sign-in service in the settings.',
  unprovenAdministrator:
    'The invited person signed in, but the sign-in service confirmed neither this invitation nor their address, and an administrator needs one of the two. Ask them to open the link and sign up with it. If they already have an account, invite them as a member and make them an administrator afterwards.',
  cancelled:
    'The person opened the link and cancelled at the sign-in service on {day}. The link works until {until}: ask them to try again.',
  begun:
    'The person opened the link but has not finished signing up. The link works until {until}: ask them to open it again.',
  opened:
    'The link was opened on {day}, but the sign-up has not been started. It works until {until}: ask the person to open it again.',
  noMail:
    'No e-mail was sent. Copy the link and pass it on, or resend the invitation. It works until {until}.',
  scanned:
    'The e-mail arrived: a mail scanner checked the link, but no person has opened it yet. Ask them to look for it, including in the spam folder. The link works until {until}.',
  mailedOn:
    'The mail server accepted the e-mail on {day}, but the link has not been opened yet. Ask the person to check the spam folder, resend it, or copy the link. It works until {until}.',
  mailed:
    'The mail server accepted the e-mail, but the link has not been opened yet. Ask the person to check the spam folder, resend it, or copy the link. It works until {until}.',
  mailFailed: 'The e-mail was not delivered.',
  handOver: 'The link works until {until}, so you can also copy it and pass it on.',
  mailQueued: 'The e-mail will be sent within a minute.',
  mailDelayed: 'The e-mail has not been sent yet.',
});

/** Reasons for refusing an invitee. The audit log and the timeline store the English text. */
export const refusals = defineTexts('invitation_refused', {
  anotherEmail: 'another e-mail',
  unverifiedEmail: 'unverified e-mail',
  unprovenAdministrator: 'unproven administrator',
  signedInAfterExpiry: 'signed in after it had expired',
  signedInAfterRevocation: 'signed in after it was revoked',
  expired: 'expired',
  revoked: 'revoked',
  redeemed: 'redeemed',
  replaced: 'replaced',
  tooManyCodes: 'too many wrong codes',
  noSeat: 'no free seat',
  organizationClosed: 'the organization is suspended',
  inviterLostRole: 'the inviter may no longer give this role',
});

export const invitationSkipped = defineTexts('invitation_skipped', {
  gone: 'No longer exists.',
  redeemed: 'Already redeemed.',
  revoked: 'Revoked.',
  revokedForGood: 'Revoked. Invite the address again.',
  replaced: 'Replaced by a later invitation to the same address.',
  notAllowed: 'The address already belongs to a member, or its domain cannot be invited.',
  open: 'Still open. Resend it instead.',
  expired: 'Expired. Renew it.',
  mailsOff: 'This site does not send e-mail. Copy the link and pass it on.',
  organizationSuspended: 'Its organization is suspended or has expired.',
  mailQueued: 'Its e-mail has not been sent yet. It will be sent automatically.',
  sentTooOften: 'Resent too often; wait a while.',
});

export const rowTexts = defineTexts('invitation_row', {
  new: 'Will be invited.',
  newAdministrator: 'Will be invited as an administrator.',
  member: 'Already a member. Nothing will be sent.',
  invited: 'Already invited. The invitation is resent only if you choose to.',
  domainNotAllowed:
    'Addresses at {domain} cannot be invited. Allow the domain in the settings, or remove the row.',
  duplicate: 'Row {row} has the same address. It is used only once.',
  likeMember: 'Similar to {email}, who is a member. Check the spelling; invite only if it is someone else.',
  likeInvited:
    'Similar to {email}, who is already invited. Check the spelling; invite only if it is someone else.',
  likeRow: 'Similar to {email} in row {row}. Check the spelling; invite only if it is someone else.',
  domainWithoutDot:
    'The domain {domain} has no dot, so e-mail is unlikely to arrive. Check the address; it will be invited as is.',
  likeDomain: 'Did you mean {suggestion}? Check the address; it will be invited as is, at {domain}.',
  domainWithoutMail: 'No mail server was found for {domain}. Check the address; it will be invited as is.',
  noAddress: 'This row has no address.',
  severalAddresses: 'This row has several addresses. Keep one of them, and add a row for each of the others.',
  foreignCharacter: 'The character "{character}" cannot be used in an address. Did you mean {suggestion}?',
  spaces: 'An address has no spaces. Did you mean {suggestion}?',
  unknownRole: 'Unknown role. Enter member or admin, or leave it empty.',
  unknownOrganizationRole:
    'This organization has no role {role}. Enter the name of a role, or leave it empty.',
  roleTooHigh: 'You cannot give the role {role}: it has permissions that you do not have.',
  badName: 'The name cannot be used. Enter one line of at most {maximum} characters.',
  badMessage: 'The message cannot be used. Enter at most {maximum} characters, without control characters.',
});
