/** Directory synchronization by SCIM, in the settings. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  changeDirectory,
  changeDirectoryGroup,
  getDirectory,
  createDirectoryToken,
  type Directory,
  type DirectoryGroup,
} from '@vestibule/contract/directory';
import { call } from '../../lib/call.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Badge } from '../../ui/marks/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/states.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { Card } from '../../ui/shell/page.tsx';
import { runWithErrorToast } from '../../ui/toast/toast.tsx';
import { directoryFacts, useDirectoryChanges } from './directory-token.tsx';

const queryKey = ['directory'];

export function ScimCard() {
  const directory = useApiQuery(getDirectory, { key: queryKey, changesOf: 'directory' });
  const changes = useDirectoryChanges(queryKey, () => call(createDirectoryToken));
  return (
    <Card title={t`Directory sync (SCIM)`}>
      <div className="stack">
        <p className="quiet">
          <Trans>
            Your company’s directory, such as Entra ID or Okta, controls who has access: people assigned there
            get in, people who leave lose access at once.
          </Trans>
        </p>
        <Loading query={directory} title={t`The directory sync could not be loaded`} lines={4} />
        {directory.data && <ScimSettings directory={directory.data} {...changes} />}
      </div>
      {changes.dialog}
    </Card>
  );
}

function ScimSettings({
  directory,
  ask,
  change: changeDirectoryWith,
  buttons,
}: { directory: Directory } & ReturnType<typeof useDirectoryChanges<Directory>>) {
  const change = (body: Partial<Pick<Directory, 'isOn' | 'onCreate'>>) =>
    changeDirectoryWith(() => call(changeDirectory, { body }));
  const confirmTurningOff = () =>
    ask({
      title: t`Turn off directory sync`,
      confirm: t`Turn off`,
      danger: true,
      text: t`The directory is refused from its next request on. Nothing changes for people here: those who leave the company in the meantime keep their access.`,
      act: () => change({ isOn: false }),
    });
  const confirmAdministrators = ({ id: groupId, name, members, givesAdministrator }: DirectoryGroup) => {
    const body = { givesAdministrator: !givesAdministrator };
    ask({
      title: givesAdministrator ? t`Members only: ${name}` : t`Make administrators: ${name}`,
      confirm: givesAdministrator ? t`Make members` : t`Make administrators`,
      danger: !givesAdministrator,
      text: consequenceText(givesAdministrator, members),
      act: () => changeDirectoryWith(() => call(changeDirectoryGroup, { params: { groupId }, body })),
    });
  };
  return (
    <>
      <Facts items={scimFacts(directory)} />
      <div className="button-row">
        {buttons(directory)}
        {directory.isOn ? (
          <Button onClick={confirmTurningOff}>{t`Turn off`}</Button>
        ) : (
          <Button variant="primary" onClick={() => runWithErrorToast(() => change({ isOn: true }))}>
            {t`Turn on`}
          </Button>
        )}
      </div>
      <SelectField
        label={t`New people`}
        description={t`No e-mail is sent; anyone who signs in with a verified address within a year gets access.`}
        value={directory.onCreate}
        options={[
          { value: 'invite', label: t`Get an invitation by e-mail` },
          { value: 'admit', label: t`Get access without an invitation` },
        ]}
        onChange={({ currentTarget }) =>
          void runWithErrorToast(() => change({ onCreate: currentTarget.value as Directory['onCreate'] }))
        }
      />
      <RecordList
        label={t`Groups of the directory`}
        entries={directory.groups.map((group) => {
          const { id, name, members, givesAdministrator } = group;
          return {
            id,
            text: (
              <>
                <strong>{name}</strong>{' '}
                {givesAdministrator && <Badge tone="warning">{t`Administrators`}</Badge>}
              </>
            ),
            detail: plural(members, { one: '# member of the group', other: '# members of the group' }),
            badges: (
              <Button
                size="small"
                aria-label={givesAdministrator ? t`Members only: ${name}` : t`Make administrators: ${name}`}
                onClick={() => confirmAdministrators(group)}
              >
                {givesAdministrator ? t`Make members` : t`Make administrators`}
              </Button>
            ),
          };
        })}
      />
    </>
  );
}

function consequenceText(givesAdministrator: boolean, members: number): string {
  if (givesAdministrator)
    return members === 0
      ? t`The group is empty. Anyone who joins the group stays a member.`
      : plural(members, {
          one: 'The person in it becomes a member again, unless another group makes them an administrator.',
          other: 'The # people in it become members again, unless another group makes them administrators.',
        });
  return members === 0
    ? t`The group is still empty. Anyone who joins the group becomes an administrator; anyone who leaves becomes a member again.`
    : plural(members, {
        one: 'The person in it becomes an administrator at once, as does anyone who joins later. Anyone who leaves becomes a member again.',
        other:
          'The # people in it become administrators at once, as does anyone who joins later. Anyone who leaves becomes a member again.',
      });
}

const scimFacts = (directory: Directory) => [
  {
    name: t`State`,
    value: directory.isOn ? <Badge tone="success">{t`On`}</Badge> : <Badge tone="neutral">{t`Off`}</Badge>,
  },
  ...directoryFacts(directory),
];
