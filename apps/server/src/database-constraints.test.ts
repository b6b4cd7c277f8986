/** Checks that limits are defined in the code, and enumerations equally in the code and the database (security 66). */
import { NamedAccess } from '@vestibule/contract/applications';
import { AttachmentKind, AttachmentStatus, Sharing } from '@vestibule/contract/attachments';
import { MailState } from '@vestibule/contract/invitations';
import { Directory } from '@vestibule/contract/directory';
import { InvitationLanguage } from '@vestibule/contract/invitations/new-invitation';
import { DomainState, Enrolment } from '@vestibule/contract/organizations/domains';
import { OrganizationStatus } from '@vestibule/contract/organizations';
import { Person } from '@vestibule/contract/people';
import { Role } from '@vestibule/contract/rules/role';
import { WebhookMessage } from '@vestibule/contract/webhooks';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { listTeamTables } from './test/database/test-team-tables.ts';
import { createTestApp } from './test/test-app.ts';
import { closeAfterTests } from './test/test-close.ts';

const t = closeAfterTests(await createTestApp());

test('docs/architecture.md lists every table', async () => {
  const tables = await t.select<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
      and relname <> all(${await listTeamTables()})`;
  const page = await readFile(path.join(import.meta.dirname, '../../../docs/architecture.md'), 'utf8');
  expect(tables.filter(({ name }) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('the database has no check constraints on lengths or numbers, and its enumerations equal those of the contract', async () => {
  const checks = await t.select<{ name: string; definition: string }>`
    select conrelid::regclass || '.' || conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace
      and conrelid::regclass::text <> all(${await listTeamTables()}) order by 1`;
  const wordsOf = (definition: string) =>
    [...definition.matchAll(/'(\w+)'::text/g)].map(([, word = '']) => word).toSorted();
  const words = new Map(checks.map(({ name, definition }) => [name, wordsOf(definition)]));
  const limits = checks.filter(
    ({ name, definition }) => words.get(name)?.length === 0 && /length|\b[1-9]\d*|interval/.test(definition),
  );
  expect(limits).toEqual([]);
  for (const [name, listed] of words) if (listed.length === 0) words.delete(name);
  expect(Object.fromEntries(words)).toEqual(
    Object.fromEntries(
      Object.entries({
        'people.people_role_check': Role.options,
        'people.people_status_check': Person.shape.status.options,
        'invitations.invitations_role_check': Role.options,
        'invitations.invitations_language_check': InvitationLanguage.options,
        'invitations.invitations_mail_state_check': MailState.options,
        'application_access.application_access_kind_check': NamedAccess.shape.kind.options,
        'attachments.attachments_kind_check': AttachmentKind.options,
        'attachments.attachments_sharing_check': Sharing.options,
        'organization_domains.organization_domains_enrolment_check': Enrolment.options,
        'organization_domains.organization_domains_state_check': DomainState.options,
        'organizations.organizations_status_check': OrganizationStatus.options,
        'membership_requests.membership_requests_status_check': ['pending', 'declined'],
        'webhooks.webhooks_off_because_check': ['failing', 'gone'],
        'webhook_messages.webhook_messages_state_check': WebhookMessage.shape.state.options,
        'attachments.attachments_status_check': AttachmentStatus.options,
        'directory.directory_on_create_check': Directory.shape.onCreate.options,
        // Internal values: the server derives `opened` and `expired` from times, and returns no counts or events as such.
        'invitations.invitations_status_check': ['pending', 'redeemed', 'revoked', 'replaced'],
        'invitation_events.invitation_events_kind_check': words.get(
          'invitation_events.invitation_events_kind_check',
        ) as string[],
        'counts.counts_what_check': words.get('counts.counts_what_check') as string[],
      }).map(([name, listed]) => [name, [...listed].toSorted()]),
    ),
  );
  const limited = `select from information_schema.columns where table_schema = 'public' and character_maximum_length is not null`;
  expect(await t.select(limited)).toEqual([]);
});
