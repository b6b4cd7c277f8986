/** What a directory's requests change of a group. Members are added and taken away without reading who the others are. */
import { readPath, type AttributePath } from './attribute-path.ts';
import { fieldOf, listOf, readText, requireObject, type Change } from './patch.ts';
import { wrong } from './scim-failure.ts';

export type GroupChanges = {
  displayName?: string;
  externalId?: string | null;
  /** Nobody who was in it stays, but for those who are added. */
  cleared: boolean;
  added: Set<string>;
  removed: Set<string>;
};

const membersMaximum = 10_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function readGroupChanges(changes: Change[]): GroupChanges {
  const group: GroupChanges = { cleared: false, added: new Set(), removed: new Set() };
  for (const change of changes) apply(group, change);
  if (group.added.size + group.removed.size > membersMaximum)
    throw wrong('tooMany', `At most ${membersMaximum} members are changed at once.`);
  return group;
}

function apply(group: GroupChanges, { op, path, value }: Change): void {
  const { attribute, selected } = readPath(path);
  if (attribute === 'displayname') {
    const name = op === 'remove' ? null : readText(value, 'displayName');
    if (name === null) throw wrong('invalidValue', 'A group has a displayName.');
    group.displayName = name;
  } else if (attribute === 'externalid')
    group.externalId = op === 'remove' ? null : readText(value, 'externalId');
  else if (attribute === 'members') {
    const members = selected.length > 0 ? [selectedMember(op, selected)] : readMembers(value);
    if (op === 'replace' || (op === 'remove' && members.length === 0)) {
      group.cleared = true;
      group.added.clear();
      group.removed.clear();
    }
    for (const id of members)
      if (op === 'remove') {
        group.added.delete(id);
        if (uuid.test(id)) group.removed.add(id);
      } else {
        group.removed.delete(id);
        if (!uuid.test(id)) throw unknownMember();
        group.added.add(id);
      }
  }
}

export const unknownMember = () =>
  wrong('invalidValue', 'A member is the id of a user who was created here.');

/** The member that `members[value eq "…"]` selects; a member's type is always User. */
function selectedMember(op: Change['op'], selected: AttributePath['selected']): string {
  const ids = selected.filter(({ attribute }) => attribute === 'value');
  if (
    op !== 'remove' ||
    ids.length !== 1 ||
    selected.some(({ attribute }) => !/^(?:value|type)$/.test(attribute))
  )
    throw wrong('invalidPath', 'Members are removed by members[value eq "…"].');
  return String(ids[0]?.value).toLowerCase();
}

/** `[{ "value": "…" }]`, one of them alone, or nothing. */
function readMembers(value: unknown): string[] {
  return listOf(value).map((one) => {
    const id = readText(typeof one === 'string' ? one : fieldOf(requireObject(one), 'value'), 'members');
    if (id === null) throw unknownMember();
    return id.toLowerCase();
  });
}
