/** `/layout/organization/…/sign-in`: the connection to the organization's OpenID Provider (R8). */
import { i18n } from '@lingui/core';
import { plural, t } from '@lingui/core/macro';
import {
  changeConnection,
  checkConnection,
  deleteConnection,
  getConnection,
  testConnection,
  type Connection,
  type ConnectionState,
  putConnection,
} from '@vestibule/contract/organizations/connection';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { formatMessage } from '../../language/format-message.ts';
import { Button } from '../../ui/button.tsx';
import { CloseAction, Dialog } from '../../ui/dialog/dialog.tsx';
import { SecretDialog } from '../../ui/dialog/secret-dialog.tsx';
import { useDialog } from '../../ui/dialog/use-dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { AddressList, FindingList } from '../../ui/findings.tsx';
import { StateBadge } from '../../ui/marks/badge.tsx';
import { Menu } from '../../ui/menu/menu.tsx';
import { Card, Page } from '../../ui/shell/page.tsx';
import { Loading } from '../../ui/states.tsx';
import { Moment } from '../../ui/time/moment.tsx';
import { runWithErrorToast, toast } from '../../ui/toast/toast.tsx';
import { useOrganization } from './organization-frame.tsx';
import './organizations.css';
import { TextField } from '../../ui/fields/field.tsx';
import { FormDialog } from '../../ui/fields/form.tsx';
import { useForm } from '../../ui/fields/use-form.ts';

export function ConnectionScreen() {
  const { organizationId } = useOrganization();
  const params = { organizationId };
  const query = useApiQuery(getConnection, {
    key: ['organization', params.organizationId, 'connection'],
    params,
  });
  const { data } = query;
  return (
    <Page title={t`Single sign-on`}>
      <Loading query={query} title={t`The connection could not be loaded`} lines={5} />
      {data && (
        <>
          <Card title={t`Provider`}>
            <p className="card-lead">
              {t`People with an address of your verified domains sign in with your OpenID Provider, such as Entra ID, Okta or Google Workspace.`}
            </p>
            <div className="stack">
              {data.connection && <ConnectionFacts connection={data.connection} />}
              <div className="organization-actions">
                <Actions state={data} params={params} onChanged={() => void query.refetch()} />
              </div>
            </div>
          </Card>
          <Card title={t`To register at the provider`}>
            <p className="card-lead">
              {t`Create a web application there (authorization code flow), and enter these addresses exactly as shown.`}
            </p>
            <AddressList
              items={data.registrations.map(({ use, address }) => ({ label: labelOf(use), address }))}
            />
          </Card>
          <Card title={t`Who signs in with it`}>
            <Reach state={data} />
          </Card>
        </>
      )}
    </Page>
  );
}

function RecoveryCodeDialog({ code, onClose }: { code: string; onClose: () => void }) {
  return (
    <SecretDialog title={t`Recovery code`} secret={code} onClose={onClose}>
      {t`If the provider fails, a manager can open the organization with this code. Keep it where you keep passwords. It will not be shown again.`}
    </SecretDialog>
  );
}

function stateOf({ isActive, isRequired, testedAt }: Connection) {
  if (isRequired) return { label: t`Required`, tone: 'success' as const };
  if (isActive) return { label: t`Active`, tone: 'success' as const };
  return testedAt
    ? { label: t`Tested, not active`, tone: 'neutral' as const }
    : { label: t`Not tested yet`, tone: 'warning' as const };
}

function ConnectionFacts({ connection }: { connection: Connection }) {
  const { issuer, clientId, testedAt, testedAs, lastSuccessAt, lastFailureAt, lastFailure } = connection;
  return (
    <Facts
      items={[
        { name: t`Status`, value: <StateBadge of={stateOf(connection)} /> },
        { name: t`Issuer`, value: issuer },
        { name: t`Client ID`, value: clientId },
        ...(testedAt
          ? [
              {
                name: t`Tested`,
                value: (
                  <>
                    <Moment at={testedAt} /> {testedAs !== null && t`as ${testedAs}`}
                  </>
                ),
              },
            ]
          : []),
        ...(lastSuccessAt ? [{ name: t`Last sign-in`, value: <Moment at={lastSuccessAt} /> }] : []),
        ...(lastFailureAt && lastFailure
          ? [
              {
                name: t`Last failure`,
                value: (
                  <>
                    <Moment at={lastFailureAt} />: {formatMessage(lastFailure)}
                  </>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

/** The next step as a button, and everything else in a menu. */
function Actions({
  state: { connection, domains, membersOutside },
  params,
  onChanged,
}: {
  state: ConnectionState;
  params: { organizationId: string };
  onChanged: () => void;
}) {
  const { dialog, open, close, ask } = useDialog(onChanged);
  const edit = () => open(() => <ConnectionDialog params={params} connection={connection} onClose={close} />);
  const change = async (body: { isActive?: boolean; isRequired?: boolean }, success: string) => {
    const { recoveryCode } = await call(changeConnection, { params, body });
    toast.success(success);
    close();
    if (recoveryCode) open(() => <RecoveryCodeDialog code={recoveryCode} onClose={close} />);
  };
  const test = () =>
    runWithErrorToast(async () => {
      const body = { returnTo: window.location.pathname, language: i18n.locale };
      window.location.assign((await call(testConnection, { params, body })).url);
    });
  const check = () =>
    runWithErrorToast(async () => {
      const { findings } = await call(checkConnection, { params });
      open(() => (
        <Dialog
          title={t`Check of the provider`}
          width={640}
          onClose={close}
          actions={<CloseAction onClose={close} />}
        >
          <FindingList findings={findings} />
        </Dialog>
      ));
    });
  const activate = () => runWithErrorToast(() => change({ isActive: true }, t`Single sign-on is active.`));
  const require = () =>
    ask({
      title: t`Require single sign-on?`,
      confirm: t`Require it`,
      text: (
        <>
          <p>{t`Members can then open the organization only after a sign-in through the provider.`}</p>
          {membersOutside > 0 && <p>{outsideText(membersOutside)}</p>}
          <p>{t`You get a recovery code for the case that the provider fails.`}</p>
        </>
      ),
      act: () => change({ isRequired: true }, t`Single sign-on is required now.`),
    });
  const makeOptional = () =>
    runWithErrorToast(() => change({ isRequired: false }, t`Single sign-on is no longer required.`));
  const end = {
    danger: true,
    text: t`Everyone who signed in through the provider is signed out. They need another sign-in method.`,
  };
  const deactivate = () =>
    ask({
      ...end,
      title: t`Deactivate single sign-on?`,
      confirm: t`Deactivate`,
      act: () => change({ isActive: false }, t`Single sign-on is not active any more.`),
    });
  const remove = () =>
    ask({
      ...end,
      title: t`Remove the provider?`,
      confirm: t`Remove provider`,
      act: () => call(deleteConnection, { params }),
    });
  if (!connection)
    return (
      <>
        {dialog}
        <Button variant="primary" onClick={edit}>
          {t`Connect a provider`}
        </Button>
      </>
    );
  const { isActive, isRequired, testedAt } = connection;
  const isReady = testedAt !== null && domains.length > 0;
  const items = [
    { label: t`Check the provider`, onSelect: check },
    { label: isActive ? t`Replace the secret` : t`Change`, onSelect: edit },
    ...(isActive && !isRequired ? [{ label: t`Require single sign-on`, onSelect: require }] : []),
    ...(isRequired ? [{ label: t`No longer require it`, onSelect: makeOptional }] : []),
    ...(isActive ? [{ label: t`Deactivate`, danger: true, onSelect: deactivate }] : []),
    { label: t`Remove provider`, danger: true, onSelect: remove },
  ];
  return (
    <>
      {dialog}
      {!isActive && isReady && (
        <Button variant="primary" onClick={activate}>
          {t`Activate`}
        </Button>
      )}
      <Button variant={isActive || isReady ? 'secondary' : 'primary'} onClick={test}>
        {t`Test sign-in`}
      </Button>
      <Menu items={items}>
        <Button>{t`Actions`}</Button>
      </Menu>
    </>
  );
}

function Reach({ state: { domains, membersOutside } }: { state: ConnectionState }) {
  if (domains.length === 0)
    return <p>{t`No domain is verified yet. Verify one under “Domains” before you test the connection.`}</p>;
  return (
    <div className="stack">
      <p>{t`People with an address of: ${domains.join(', ')}`}</p>
      <p>
        {t`Members are recognized by their address. Other people join only if the domain lets them join automatically, or by invitation.`}
      </p>
      {membersOutside > 0 && <p>{outsideText(membersOutside)}</p>}
    </div>
  );
}

const outsideText = (count: number) =>
  plural(count, {
    one: '# member has an address of another domain and cannot sign in through the provider.',
    other: '# members have addresses of other domains and cannot sign in through the provider.',
  });

function labelOf(use: ConnectionState['registrations'][number]['use']): string {
  switch (use) {
    case 'redirect':
      return t`Redirect address:`;
    case 'signed-out':
      return t`Address after signing out:`;
    case 'backchannel-logout':
      return t`Back-channel logout:`;
  }
}

function dialogTitle(connection: Connection | null): string {
  if (connection?.isActive) return t`Replace the secret`;
  return connection ? t`Change the connection` : t`Connect a provider`;
}

function secretNote(connection: Connection | null): string {
  if (!connection) return t`Stored encrypted, and never shown again.`;
  return connection.isActive
    ? t`It is tried at the provider before it replaces the previous one.`
    : t`Leave empty to keep the previous one.`;
}

/** Connects a provider, or changes `connection`. An active connection keeps its issuer and client ID. */
function ConnectionDialog({
  params,
  connection,
  onClose,
}: {
  params: { organizationId: string };
  connection: Connection | null;
  onClose: () => void;
}) {
  const isActive = connection?.isActive === true;
  const form = useForm<{ issuer: string; clientId: string; secret: string }>({
    initial: { issuer: connection?.issuer ?? '', clientId: connection?.clientId ?? '', secret: '' },
    validate: ({ issuer, clientId, secret }) => ({
      ...(issuer.trim() === '' && { issuer: t`Enter the issuer.` }),
      ...(clientId.trim() === '' && { clientId: t`Enter the client ID.` }),
      ...(secret.trim() === '' &&
        (isActive || connection?.issuer !== issuer.trim() || connection.clientId !== clientId.trim()) && {
          secret: t`Enter the client secret.`,
        }),
    }),
    async onSubmit({ issuer, clientId, secret }) {
      await call(putConnection, {
        params,
        body: { issuer, clientId, ...(secret.trim() !== '' && { secret }) },
      });
      onClose();
    },
  });
  return (
    <FormDialog form={form} title={dialogTitle(connection)} width={600} onClose={onClose} submit={t`Save`}>
      {!isActive && (
        <>
          <TextField
            label={t`Issuer`}
            description={t`Such as https://login.microsoftonline.com/<tenant id>/v2.0 or https://example.okta.com.`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="url"
            required
            {...form.text('issuer')}
          />
          <TextField
            label={t`Client ID`}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            required
            {...form.text('clientId')}
          />
        </>
      )}
      <TextField
        label={t`Client secret`}
        description={secretNote(connection)}
        type="password"
        autoComplete="new-password"
        required={connection === null || isActive}
        {...form.text('secret')}
      />
    </FormDialog>
  );
}
