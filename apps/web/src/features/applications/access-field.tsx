/** The list of users who may open an application, with controls that add an entry. */
import { t } from '@lingui/core/macro';
import { listApplications, type NamedAccess } from '@vestibule/contract/applications';
import { listOrganizations, listRoles } from '@vestibule/contract/organizations';
import { useId, useState } from 'react';
import { usePeopleSearch } from '../../lib/lists/use-people-search.ts';
import { useApiQuery } from '../../lib/use-api-query.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/fields/field.tsx';
import { PersonSearch } from '../../ui/person/person-search.tsx';
import { RecordList } from '../../ui/record-list.tsx';
import { describeAccess, siteRoles } from './application-texts.ts';
import { roleName } from '../../lib/role-name.ts';
import './applications.css';

type Kind = NamedAccess['kind'];

const none: Omit<NamedAccess, 'kind'> = {
  role: null,
  organizationId: null,
  organizationName: null,
  roleId: null,
  roleName: null,
  groupId: null,
  groupName: null,
  personId: null,
  personEmail: null,
  personName: null,
};

const keyOf = ({ kind, role, organizationId, roleId, groupId, personId }: NamedAccess) =>
  [kind, role, organizationId, roleId, groupId, personId].join(' ');

export function AccessField({
  access,
  hasOrganizations,
  problem,
  onChange,
}: {
  access: readonly NamedAccess[];
  hasOrganizations: boolean;
  problem: string | undefined;
  onChange: (access: NamedAccess[]) => void;
}) {
  const id = useId();
  const [kind, setKind] = useState<Kind>('everyone');
  const applications = useApiQuery(listApplications, { key: ['applications'] });
  const groups = applications.data?.groups ?? [];
  const kinds: { value: Kind; label: string }[] = [
    { value: 'everyone', label: t`Everyone` },
    { value: 'siteRole', label: t`A role of this site` },
    ...(hasOrganizations ? [{ value: 'organization' as const, label: t`An organization` }] : []),
    ...(groups.length > 0 ? [{ value: 'group' as const, label: t`A group of the directory` }] : []),
    { value: 'person', label: t`A person` },
  ];
  const add = (entry: Partial<NamedAccess>) => {
    const added = { ...none, ...entry, kind };
    if (!access.some((other) => keyOf(other) === keyOf(added))) onChange([...access, added]);
  };

  return (
    <fieldset className="access-field" aria-describedby={problem ? id : undefined}>
      <legend className="field-label">{t`Who may use it`}</legend>
      <RecordList
        empty={t`No user may use it yet. Add users below.`}
        entries={access.map((entry) => ({
          id: keyOf(entry),
          text: describeAccess(entry),
          detail: entry.kind === 'person' && entry.personName ? entry.personEmail : null,
          badges: (
            <Button
              size="small"
              aria-label={t`Remove ${describeAccess(entry)}`}
              onClick={({ currentTarget }) => {
                // The button is removed with its entry.
                currentTarget.closest('fieldset')?.querySelector('select')?.focus();
                onChange(access.filter((other) => other !== entry));
              }}
            >
              {t`Remove`}
            </Button>
          ),
        }))}
      />
      {problem && (
        <p className="field-error" id={id}>
          {problem}
        </p>
      )}
      <div className="access-add">
        <SelectField
          label={t`Add users`}
          options={kinds}
          value={kind}
          onChange={(event) => setKind(event.target.value as Kind)}
        />
        {kind === 'everyone' && <AddButton onAdd={() => add({})} />}
        {kind === 'siteRole' && (
          <AddChoice
            label={t`Role`}
            options={Object.entries(siteRoles()).map(([value, label]) => ({ value, label }))}
            onAdd={({ value }) => add({ role: value as 'member' | 'admin' })}
          />
        )}
        {kind === 'group' && (
          <AddChoice
            label={t`Group`}
            options={groups.map((group) => ({ value: group.id, label: group.name }))}
            onAdd={({ value, label }) => add({ groupId: value, groupName: label })}
          />
        )}
        {kind === 'organization' && <AddOrganization onAdd={add} />}
        {kind === 'person' && <AddPerson onAdd={add} />}
      </div>
    </fieldset>
  );
}

const AddButton = ({ onAdd }: { onAdd: () => void }) => <Button onClick={onAdd}>{t`Add`}</Button>;

type Option = { value: string; label: string };

function AddChoice({
  label,
  options,
  onAdd,
}: {
  label: string;
  options: readonly Option[];
  onAdd: (option: Option) => void;
}) {
  const [value, setValue] = useState('');
  const chosen = options.find((option) => option.value === value) ?? options[0];
  return (
    <>
      <SelectField
        label={label}
        options={options}
        value={chosen?.value ?? ''}
        onChange={(event) => setValue(event.target.value)}
      />
      <AddButton onAdd={() => chosen && onAdd(chosen)} />
    </>
  );
}

const listedOrganizations = 500;

function AddOrganization({ onAdd }: { onAdd: (entry: Partial<NamedAccess>) => void }) {
  const [roleId, setRoleId] = useState('');
  const roles = useApiQuery(listRoles, { key: ['organization-roles'] });
  const organizations = useApiQuery(listOrganizations, {
    key: ['organizations', 'for access'],
    query: { limit: listedOrganizations, sort: 'name', direction: 'asc' },
  });
  return (
    <>
      <SelectField
        label={t`Role in the organization`}
        options={[
          { value: '', label: t`Any role` },
          ...(roles.data?.rows ?? []).map(({ id, name }) => ({
            value: id,
            label: roleName(id, name),
          })),
        ]}
        value={roleId}
        onChange={(event) => setRoleId(event.target.value)}
      />
      <AddChoice
        label={t`Organization`}
        options={[
          { value: '', label: t`All organizations` },
          ...(organizations.data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onAdd={({ value, label }) =>
          onAdd({
            organizationId: value || null,
            organizationName: value ? label : null,
            roleId: roleId || null,
            roleName: roles.data?.rows.find(({ id }) => id === roleId)?.name ?? null,
          })
        }
      />
    </>
  );
}

function AddPerson({ onAdd }: { onAdd: (entry: Partial<NamedAccess>) => void }) {
  return (
    <PersonSearch
      {...usePeopleSearch()}
      onAdd={({ id, displayName, email }) =>
        onAdd({ personId: id, personName: displayName, personEmail: email })
      }
    />
  );
}
