/** `/layout/organization/…/domains`: e-mail domains, their proof by a DNS record, and who joins by them (R7). */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  addDomain,
  changeDomain,
  Enrolment,
  listDomains,
  removeDomain,
  verifyDomain,
  type DomainState,
  type OrganizationDomain,
} from '@vestibule/contract/organizations/domains';
import { useState } from 'react';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog/dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { SelectField, TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';
import { StateBadge } from '../../ui/marks/badge.tsx';
import type { BadgeTone } from '../../ui/marks/badge-tone.ts';
import { Menu } from '../../ui/menu/menu.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { copyText, runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { useOrganization } from './organization-frame.tsx';
import './organizations.css';

const states = (): Record<DomainState, { label: string; tone: BadgeTone }> => ({
  pending: { label: t`Not verified yet`, tone: 'neutral' },
  verified: { label: t`Verified`, tone: 'success' },
  failing: { label: t`Record is missing`, tone: 'warning' },
});

export function DomainsScreen() {
  const organization = useOrganization();
  const { organizationId, roles } = organization;
  const domains = useApiQuery(listDomains, {
    key: ['organization', organizationId, 'domains'],
    params: { organizationId },
  });
  const { dialog, open, ask } = useDialog(() => void domains.refetch());
  const verify = (domain: OrganizationDomain) =>
    open((close) => <VerifyDialog organizationId={organizationId} domain={domain} onClose={close} />);
  const add = () =>
    open((close) => (
      <AddDialog
        organizationId={organizationId}
        onAdded={(domain) => {
          void domains.refetch();
          verify(domain);
        }}
        onClose={close}
      />
    ));
  const change = (domain: OrganizationDomain) =>
    open((close) => <EnrolmentDialog organization={organization} domain={domain} onClose={close} />);
  const remove = ({ domain }: OrganizationDomain) =>
    ask({
      title: t`Remove ${domain}?`,
      confirm: t`Remove domain`,
      danger: true,
      text: t`No one joins by it any more. Members stay.`,
      act: () => call(removeDomain, { params: { organizationId, domain } }),
    });
  const describe = ({ state, enrolment, roleId }: OrganizationDomain) => {
    if (state === 'failing')
      return t`No one joins by it until the record is back. After a week it must be verified again.`;
    if (enrolment === 'invitation') return t`People join by invitation only.`;
    const role = roles.find(({ id }) => id === roleId)?.label ?? roleId;
    if (enrolment === 'request')
      return t`People with a verified address ask to join, and a manager approves.`;
    return t`People with a verified address join automatically, with the role ${role}.`;
  };
  return (
    <Page title={t`Domains`} actions={<Button variant="primary" onClick={add}>{t`Add a domain`}</Button>}>
      <Card>
        <p className="card-lead">
          {t`Prove by a DNS record that an e-mail domain belongs to the organization. Then its people can join without an invitation.`}
        </p>
        <Loading query={domains} title={t`The domains could not be loaded`} lines={3} />
        {domains.data && (
          <RecordList
            empty={t`None yet.`}
            entries={domains.data.rows.map((domain) => ({
              id: domain.domain,
              text: (
                <>
                  <strong>{domain.domain}</strong> <StateBadge of={states()[domain.state]} />
                </>
              ),
              detail: describe(domain),
              badges: (
                <Menu
                  items={[
                    { label: t`Verify`, onSelect: () => verify(domain) },
                    { label: t`Who joins by it`, onSelect: () => change(domain) },
                    { label: t`Remove`, danger: true, onSelect: () => remove(domain) },
                  ]}
                >
                  <Button size="small" aria-label={t`Actions for ${domain.domain}`}>
                    {t`Actions`}
                  </Button>
                </Menu>
              ),
            }))}
          />
        )}
      </Card>
      {dialog}
    </Page>
  );
}

function AddDialog({
  organizationId,
  onAdded,
  onClose,
}: {
  organizationId: string;
  onAdded: (domain: OrganizationDomain) => void;
  onClose: () => void;
}) {
  const form = useForm<{ domain: string }>({
    initial: { domain: '' },
    validate: ({ domain }): Record<string, string> =>
      domain.trim() === '' ? { domain: t`Enter a domain such as example.com.` } : {},
    onSubmit: async (body) => onAdded(await call(addDomain, { params: { organizationId }, body })),
  });
  return (
    <FormDialog form={form} title={t`Add a domain`} onClose={onClose} submit={t`Continue`}>
      <TextField
        label={t`Domain`}
        description={t`The part of the e-mail addresses after the @, such as example.com.`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...form.text('domain')}
      />
    </FormDialog>
  );
}

/** Shows the record to publish, and looks it up. */
function VerifyDialog({
  organizationId,
  domain: { domain, recordName, recordValue },
  onClose,
}: {
  organizationId: string;
  domain: OrganizationDomain;
  onClose: () => void;
}) {
  const [found, setFound] = useState<readonly string[] | null>(null);
  const verify = () =>
    runWithErrorToast(async () => {
      const checked = await call(verifyDomain, { params: { organizationId, domain } });
      if (checked.state !== 'verified' || !checked.found.includes(recordValue))
        return setFound(checked.found);
      toast.success(t`${domain} is verified.`);
      return onClose();
    });
  return (
    <Dialog
      title={t`Verify ${domain}`}
      width={640}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t`Close`}</Button>
          <Button variant="primary" onClick={verify}>{t`Check the record`}</Button>
        </>
      }
    >
      <div className="stack">
        <p>
          {t`Add this record where the domain is managed. You can close this window: the record is shown again under “Verify”.`}
        </p>
        <Facts
          items={[
            { name: t`Type`, value: 'TXT' },
            { name: t`Name`, value: <CopiedText text={recordName} label={t`Copy name`} /> },
            { name: t`Value`, value: <CopiedText text={recordValue} label={t`Copy value`} /> },
          ]}
        />
        <p className="small-print">
          {t`Some services complete the name with the domain: enter only _vestibule there. Keep the record: it is checked every day.`}
        </p>
        <div role="alert">
          {found !== null && (
            <>
              <p>
                <strong>{t`The record was not found.`}</strong>{' '}
                {t`New records can take hours to appear. Check again later.`}
              </p>
              {found.length > 0 && (
                <p>
                  <Trans>Found instead: {found.map((record) => `“${record}”`).join(', ')}</Trans>
                </p>
              )}
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}

function CopiedText({ text, label }: { text: string; label: string }) {
  return (
    <span className="organization-record">
      <code>{text}</code>
      <Button size="small" onClick={() => copyText(text, t`Copied.`)}>
        {label}
      </Button>
    </span>
  );
}

function EnrolmentDialog({
  organization: { organizationId, roles },
  domain,
  onClose,
}: {
  organization: ActiveOrganization;
  domain: OrganizationDomain;
  onClose: () => void;
}) {
  const form = useForm<{ enrolment: string; roleId: string }>({
    initial: { enrolment: domain.enrolment, roleId: domain.roleId },
    async onSubmit({ enrolment, roleId }) {
      await call(changeDomain, {
        params: { organizationId, domain: domain.domain },
        body: { enrolment: Enrolment.parse(enrolment), roleId },
      });
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={t`Who joins by ${domain.domain}`} onClose={onClose} submit={t`Save`}>
      <SelectField
        label={t`People with an address of this domain`}
        description={t`Applies only while the domain is verified. People without an account join this site, too. People who have one find the organization on their dashboard and in their profile.`}
        options={[
          { value: 'invitation', label: t`Join by invitation only` },
          { value: 'request', label: t`Ask to join, a manager approves` },
          { value: 'automatic', label: t`Join automatically when they sign in, or by one click` },
        ]}
        {...form.text('enrolment')}
      />
      {form.values.enrolment !== 'invitation' && (
        <SelectField
          label={form.values.enrolment === 'request' ? t`Suggested role` : t`Role`}
          options={roles
            .filter(({ id, mayGive }) => mayGive && id !== 'manager')
            .map(({ id, label }) => ({ value: id, label }))}
          {...form.text('roleId')}
        />
      )}
    </FormDialog>
  );
}
