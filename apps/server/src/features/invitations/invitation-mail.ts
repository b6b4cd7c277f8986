/**
 * Templates of invitation mails. A mail is written when it is sent, so the queue never stores a link or code. Jobs name the
 * invitation and its mail number; only the newest number is sent.
 */
import type { MailState } from '@vestibule/contract/invitations';
import { jsonParameter, retryOnDeadlock, type Database } from '../../platform/database/database.ts';
import { createBatchLoader } from '../../platform/database/batch-loader.ts';
import type { MailJob, MailTemplate } from '../../platform/mail/mail-queue.ts';
import { valuesOf } from '../../platform/values-of.ts';
import { findPeopleByEmail } from '../people/people-by-email.ts';
import {
  writeInvitationMail,
  writeNewLinkMail,
  writeReminderMail,
} from '../mail/templates/invitation-mails.ts';
import type { MailSite } from '../mail/templates/layout.ts';
import { insertEventsSql } from './lifecycle/invitation-events.ts';
import { findOrganizationLogos } from './organization-logos.ts';
import { findInvitations, isOpen, type InvitationRow } from './invitation-store.ts';
import { invitationLink, type ShortCodes } from './link/short-code.ts';

type InvitationMailName = 'invitation' | 'invitation-reminder' | 'invitation-new-link';

export const invitationMailJob = (
  template: InvitationMailName,
  { id, mail_number }: Pick<InvitationRow, 'id' | 'mail_number'>,
): MailJob => ({ template, subjectId: `${id}/${mail_number}` });

type Report = { id: string; number: number; state: MailState; error: string | null; at: Date };

export function invitationMails(deps: {
  database: Database;
  shortCodes: ShortCodes;
  publicUrl: string;
  settings: { current(): Promise<Omit<MailSite, 'publicUrl'>> };
  now: () => number;
}): Record<InvitationMailName, MailTemplate> {
  const { database, publicUrl, now } = deps;
  const find = createBatchLoader(async (ids: string[]) => {
    const rows = await findInvitations(database, ids);
    const [named, logoOf] = await Promise.all([
      findPeopleByEmail(database, valuesOf(rows, 'created_by')),
      findOrganizationLogos(database, valuesOf(rows, 'organization_id')),
    ]);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => {
      const row = byId.get(id);
      if (!row) return null;
      const inviterName = named(row.created_by)?.displayName ?? null;
      return { ...row, inviterName, logo: logoOf(row.organization_id) };
    });
  });
  const report = createBatchLoader(async (reports: Report[]) => {
    await writeReports(database, reports);
    return reports.map(() => undefined);
  }, 1);

  const mail = (name: InvitationMailName): MailTemplate => ({
    async write(subject) {
      const { id, number } = parseSubject(subject);
      const [invitation, site] = await Promise.all([find(id), deps.settings.current()]);
      if (!invitation || invitation.mail_number !== number || invitation.mail_state === 'sent') return null;
      if (!isOpen(invitation, now())) return null;
      const {
        language,
        message,
        logo,
        created_by: inviter,
        organization_name: organization = null,
      } = invitation;
      const values = {
        to: { name: invitation.name, address: invitation.email },
        site: { ...site, publicUrl, ...(logo && { logo: { ...logo, alt: organization ?? '' } }) },
        link: invitationLink(publicUrl, deps.shortCodes, invitation),
        expiresAt: invitation.expires_at,
        organization,
      };
      if (name === 'invitation-reminder') return writeReminderMail(language, values);
      if (name === 'invitation-new-link') return writeNewLinkMail(language, values);
      const invitedBy = inviter === null ? null : { name: invitation.inviterName, address: inviter };
      return writeInvitationMail(language, { ...values, message, invitedBy });
    },
    sent: (subject) => report({ ...parseSubject(subject), state: 'sent', error: null, at: new Date(now()) }),
    failed: (subject, error, final) =>
      report({ ...parseSubject(subject), state: final ? 'failed' : 'queued', error, at: new Date(now()) }),
  });

  return {
    invitation: mail('invitation'),
    'invitation-reminder': mail('invitation-reminder'),
    'invitation-new-link': mail('invitation-new-link'),
  };
}

/**
 * Records an event for each report. The invitation stays unchanged if a newer mail was queued, or if the failed mail is no longer queued.
 */
async function writeReports(database: Database, reports: Report[]): Promise<void> {
  // If the report fails, the mail is sent a second time.
  await retryOnDeadlock(database, (transaction) =>
    transaction.query({
      name: 'report-invitation-mails',
      text: `with report as (
             select * from jsonb_to_recordset($1) as report (id uuid, number integer, state text, error text, at timestamptz)),
           new_events as (
             select id as "invitationId", case state when 'sent' then 'mailed' else 'mail_failed' end as kind,
               number::text as about, (at at time zone 'UTC')::date as day, at, error as note
             from report where exists (select from invitations where invitations.id = report.id)),
           recorded_events as (${insertEventsSql} returning 1)
           update invitations set mail_state = report.state, mail_error = report.error,
             mailed_at = case report.state when 'sent' then report.at else mailed_at end,
             mail_failed_at = case report.state when 'failed' then report.at else mail_failed_at end
           from report
           where invitations.id = report.id and mail_number = number
             and (mail_state = 'queued' or report.state = 'sent')`,
      values: [jsonParameter(reports)],
    }),
  );
}

function parseSubject(subject: string): { id: string; number: number } {
  const [id = '', number] = subject.split('/');
  return { id, number: Number(number) };
}
