/** Parses changes of a group. Members are added and removed without reading the others. */
import { readPath, type AttributePath } from './attribute-path.ts';
import { complexValuesOf, findAttribute, readText, requireObject, type AttributeChange } from './patch.ts';
import { badRequest } from './scim-failure.ts';
import { isUuid } from '../../../platform/database/new-id.ts';

export type GroupChanges = {
  displayName?: string;
  externalId?: string | null;
  /** Whether all members are removed who are not in `added`. */
  cleared: boolean;
  added: Set<string>;
  removed: Set<string>;
};

const membersMaximum = 10_000;

export function readGroupChanges(changes: AttributeChange[]): GroupChanges {
  const group: GroupChanges = { cleared: false, added: new Set(), removed: new Set() };
  for (const change of changes) apply(group, change);
  if (group.added.size + group.removed.size > membersMaximum)
    throw badRequest('tooMany', `At most ${membersMaximum} members are changed at once.`);
  return group;
}

function apply(group: GroupChanges, { op, path, value }: AttributeChange): void {
  const { attribute, selected } = readPath(path);
  if (attribute === 'displayname') {
    const name = op === 'remove' ? null : readText(value, 'displayName');
    if (name === null) throw badRequest('invalidValue', 'A group has a displayName.');
    group.displayName = name;
  } else if (attribute === 'externalid')
    group.externalId = op === 'remove' ? null : readText(value, 'externalId');
  else if (attribute === 'members') {
    const members = selected.length > 0 ? [selectedMember(op, selected)] : readMembers(value);
    // An empty list of members to remove is not the same as no list.
    if (op === 'replace' || (op === 'remove' && members.length === 0 && !Array.isArray(value))) {
      group.cleared = true;
      group.added.clear();
      group.removed.clear();
    }
    for (const id of members)
      if (op === 'remove') {
        group.added.delete(id);
        if (isUuid(id)) group.removed.add(id);
      } else {
        group.removed.delete(id);
        if (!isUuid(id)) throw unknownMember();
        group.added.add(id);
      }
  }
}

export const unknownMember = () =>
  badRequest('invalidValue', 'A member is the id of a user who was created here.');

/** Returns the member selected by `members[value eq "…"]`. */
function selectedMember(op: AttributeChange['op'], selected: AttributePath['selected']): string {
  const ids = selected.filter(({ attribute }) => attribute === 'value');
  if (
    op !== 'remove' ||
    ids.length !== 1 ||
    selected.some(({ attribute }) => !/^(?:value|type)$/.test(attribute))
  )
    throw badRequest('invalidPath', 'Members are removed by members[value eq "…"].');
  return String(ids[0]?.value).toLowerCase();
}

/** Accepts `[{ "value": "…" }]`, a single object, or null. */
const readMembers = (value: unknown): string[] =>
  complexValuesOf(value).map((member) => {
    const id = readText(
      typeof member === 'string' ? member : findAttribute(requireObject(member), 'value'),
      'members',
    );
    if (id === null) throw unknownMember();
    return id.toLowerCase();
  });
