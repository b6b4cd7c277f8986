/** Requests to join the organization: a button with their number, and the dialog in which managers decide (R7). */
import { plural, t } from '@lingui/core/macro';
import {
  approveMembershipRequest,
  declineMembershipRequest,
  listMembershipRequests,
  type MembershipRequest,
} from '@vestibule/contract/organizations/requests';
import { useState } from 'react';
import { formatMoment } from '../../language/moment.ts';
import type { ActiveOrganization } from '../../lib/active-organization.ts';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import './organizations.css';

/** Shows nothing while there are no requests. */
export function MembershipRequests({
  organization,
  onDecided,
}: {
  organization: ActiveOrganization;
  onDecided: () => void;
}) {
  const { organizationId, name, permissions } = organization;
  const [isOpen, setIsOpen] = useState(false);
  const requests = useApiQuery(listMembershipRequests, {
    key: ['organization', organizationId, 'requests'],
    params: { organizationId },
    enabled: permissions.includes('invitations.read'),
    staleTime: 0,
  });
  const { rows = [], total = 0 } = requests.data ?? {};
  const decide = async (action: () => Promise<string>) => {
    const isDone = await runWithErrorToast(async () => toast.success(await action()));
    if (isDone) onDecided();
    // Another manager may have decided.
    await requests.refetch();
  };
  const paramsOf = ({ id }: MembershipRequest) => ({ organizationId, requestId: id });

  if (total === 0 && !isOpen) return null;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>
        {plural(total, { one: '# request to join', other: '# requests to join' })}
      </Button>
      {isOpen && (
        <Dialog
          title={t`Requests to join ${name}`}
          width={640}
          onClose={() => setIsOpen(false)}
          actions={<CloseAction onClose={() => setIsOpen(false)} />}
        >
          {rows.length === 0 && <p>{t`All requests are answered.`}</p>}
          {rows.length > 0 && (
            <p className="card-lead">
              {t`These people have signed in with a verified address of your domains. Those without an account get an invitation when you approve.`}
            </p>
          )}
          <RecordList
            entries={rows.map((request) => ({
              id: request.id,
              text: request.displayName,
              detail: describe(request),
              badges: permissions.includes('invitations.write') && (
                <Decision
                  request={request}
                  roles={organization.roles}
                  onApprove={(roleId) =>
                    decide(async () => {
                      const { outcome, email } = await call(approveMembershipRequest, {
                        params: paramsOf(request),
                        body: { roleId },
                      });
                      return outcome === 'joined'
                        ? t`${email} is now a member of ${name}.`
                        : t`An invitation was sent to ${email}.`;
                    })
                  }
                  onDecline={() =>
                    decide(async () => {
                      const { email } = await call(declineMembershipRequest, { params: paramsOf(request) });
                      return t`The request of ${email} was declined.`;
                    })
                  }
                />
              ),
            }))}
          />
        </Dialog>
      )}
    </>
  );
}

function describe({ email, displayName, hasAccount, requestedAt }: MembershipRequest): string {
  const at = formatMoment(requestedAt);
  const asked = hasAccount ? t`Asked on ${at}` : t`Asked on ${at}, has no account`;
  return displayName === email ? asked : `${email} · ${asked}`;
}

function Decision({
  request: { email, roleId: suggested },
  roles,
  onApprove,
  onDecline,
}: {
  request: MembershipRequest;
  roles: ActiveOrganization['roles'];
  onApprove: (roleId: string) => Promise<unknown>;
  onDecline: () => Promise<unknown>;
}) {
  const givable = roles.filter(({ mayGive }) => mayGive);
  const [roleId, setRoleId] = useState(() => givable.find(({ id }) => id === suggested)?.id ?? 'member');
  return (
    <span className="organization-decision">
      <SelectField
        label={t`Role`}
        aria-label={t`Role of ${email}`}
        options={givable.map(({ id, label }) => ({ value: id, label }))}
        value={roleId}
        onChange={(event) => setRoleId(event.target.value)}
      />
      <Button variant="primary" aria-label={t`Approve ${email}`} onClick={() => onApprove(roleId)}>
        {t`Approve`}
      </Button>
      <Button aria-label={t`Decline ${email}`} onClick={onDecline}>
        {t`Decline`}
      </Button>
    </span>
  );
}
