/** What is told about invitations: why one has not worked so far, and what becomes of one among many. */
import { defineTexts } from '../texts/text.ts';

/** One or several of them, one after the other, explain an invitation. */
export const explanations = defineTexts('invitation_explanation', {
  redeemed: 'It worked: the invited person signed up on {day}.',
  revoked: 'It was revoked on {day}, so the link no longer works.',
  revokedBy: 'It was revoked on {day} by {by}, so the link no longer works.',
  inviteAgain: 'Invite the address again if that was a mistake.',
  cameTooLate: 'The invited person signed in after that, last on {day}, and was refused.',
  expired: 'It expired on {day}.',
  renew: 'Renew it: that mails a new link.',
  replaced:
    'A later invitation to this address took its place, so it has ended for good: its link no longer works, and it cannot be renewed. Look at the later one; if that has ended too, invite the address again.',
  triedTooLate: 'Somebody tried the link after that, on {day}.',
  mailHadFailed: 'The mail never arrived; check the address before you renew it.',
  hadCancelled: 'The person had opened the link and cancelled at the sign-in service.',
  hadBegun: 'The person had opened the link but had not finished signing up.',
  hadOpened: 'The link had been opened, but nobody signed up.',
  neverOpened: 'As far as we know, nobody had opened the link.',
  anotherEmail:
    'Somebody followed the link and signed in with another e-mail address than the invited one. Ask them to sign in with the invited address, or change the address of this invitation.',
  unverifiedEmail:
    'Somebody signed up, but the sign-in service gave no verified e-mail address, so the invitation could not be matched. Ask support to check the provider in the settings.',
  unprovenAdministrator:
    'The invited person signed in, but the sign-in service said neither that they came with this invitation nor that their address is verified, which an administrator needs. Ask them to open the link and sign up with it; invite somebody who has an account already as a member, and make them an administrator after that.',
  cancelled:
    'The person opened the link and cancelled at the sign-in service on {day}. The link still works until {until}: ask them to try again.',
  begun:
    'The person opened the link and has not finished signing up. The link still works until {until}: ask them to open it again.',
  opened:
    'The link was opened on {day}, but nobody has started to sign up. It still works until {until}: ask the person to open it again.',
  noMail:
    'No mail was sent. Copy the link and hand it over, or send the invitation again. It works until {until}.',
  scanned:
    'The mail has arrived: a mail scanner has looked at the link, but no person has opened it yet. Ask them to look for it, also in the spam folder. The link works until {until}.',
  mailedOn:
    'The mail server accepted the mail on {day}, and nobody has opened the link yet. Ask the person to check the spam folder, send it again, or copy the link. It works until {until}.',
  mailed:
    'The mail server accepted the mail, and nobody has opened the link yet. Ask the person to check the spam folder, send it again, or copy the link. It works until {until}.',
  mailFailed: 'The mail did not arrive.',
  handOver: 'The link still works until {until}, so you can also copy it and hand it over.',
  mailQueued: 'The mail is waiting to be sent and leaves within a minute.',
  mailDelayed: 'The mail has not left yet.',
});

/** Why somebody with an invitation was refused. Its English is what the log and the timeline keep. */
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
});

/** Why an action on many left an invitation as it is. */
export const invitationSkipped = defineTexts('invitation_skipped', {
  gone: 'No longer exists.',
  redeemed: 'Already redeemed.',
  revoked: 'Revoked.',
  revokedForGood: 'Revoked. Invite the address again.',
  replaced: 'Replaced by a later invitation to the same address.',
  notAllowed: 'The address is already inside, or its domain may not be invited.',
  open: 'Still open. Send it again instead.',
  expired: 'Expired. Renew it.',
  mailsOff: 'This site sends no mail. Copy the link.',
  mailQueued: 'Its mail is still on its way.',
  sentTooOften: 'Sent often enough in the last hour. Try again later.',
});

/** What would become of a row of a list, and why. */
export const rowTexts = defineTexts('invitation_row', {
  new: 'Will be invited.',
  newAdministrator: 'Will be invited as an administrator.',
  member: 'Already inside. Nothing is sent.',
  invited: 'Has an open invitation. It is sent again only if you ask for that.',
  domainNotAllowed:
    'Addresses at {domain} may not be invited. Allow the domain in the settings, or leave the row out.',
  duplicate: 'Row {row} has this address too. It is used once.',
  likeMember: 'Similar to {email}, who is inside. Check the spelling; invite it only if it is somebody else.',
  likeInvited:
    'Similar to {email}, who is invited. Check the spelling; invite it only if it is somebody else.',
  likeRow: 'Similar to {email} in row {row}. Check the spelling; invite it only if it is somebody else.',
  domainWithoutDot:
    'The domain {domain} has no dot, so a mail will hardly arrive. Check the address; it is invited as it stands.',
  likeDomain: 'Did you mean {suggestion}? Check the address; it is invited as it stands, at {domain}.',
  domainWithoutMail: 'No mail server was found for {domain}. Check the address; it is invited as it stands.',
  noAddress: 'There is no address in this row.',
  foreignCharacter: 'The character "{character}" cannot be used in an address. Did you mean {suggestion}?',
  unknownRole: 'Unknown role. Write member or admin, or leave it empty.',
  badName: 'The name cannot be used. Enter one line of at most {maximum} characters.',
  badMessage: 'The message cannot be used. Enter at most {maximum} characters, without control characters.',
});
