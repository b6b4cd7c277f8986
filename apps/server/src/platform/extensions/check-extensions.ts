/** Checks extensions before the start: names, versions, and permissions, events and routes that exist twice. */
import { organizationPermissions } from '@vestibule/contract/organizations/permissions';
import type { Area } from '../area.ts';
import { pluralOf } from '../plural.ts';
import { StartUpError } from '../config/start-up-error.ts';
import { guide } from './guide.ts';
import { extensionApiVersion, type Extension, type LoadedExtension } from './extension.ts';

/** Throws a StartUpError if the definition has an invalid name or version, or uses a name outside of its name space. */
export function checkExtension(
  file: string,
  { name, requires, permissions = [], files = {}, webhookEvents = [] }: Extension,
): void {
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new StartUpError(
      `The extension ${file} needs a name of at most 40 lower-case letters, digits and single hyphens, such as tickets.`,
    );
  if (!isSatisfied(requires))
    throw new StartUpError(
      `The extension ${name} (${file}) requires version ${requires} of the extension API; this server has ${extensionApiVersion}. ${guide} lists the versions.`,
    );
  const foreign = permissions.find((permission) => !permission.name.startsWith(`${name}.`));
  if (foreign)
    throw new StartUpError(
      `The permission ${foreign.name} of the extension ${name} (${file}) needs the name of the extension, a dot and a verb, such as ${name}.read.`,
    );
  const tables = name.replaceAll('-', '_');
  const otherEvent = webhookEvents.find((event) => !isEventOf(tables, event));
  if (otherEvent !== undefined)
    throw new StartUpError(
      `The webhook event ${otherEvent} of the extension ${name} (${file}) must begin with the name of the extension or its singular, then name the change, such as ${tables.replace(/s$/, '')}.created or ${tables}.imported.`,
    );
  for (const [type, { table }] of Object.entries(files))
    if (!/^[a-z][a-z0-9-]{0,39}$/.test(type) || !new RegExp(`^${tables}(?:_[a-z0-9_]+)?$`).test(table))
      throw new StartUpError(
        `The files of ${type} of the extension ${name} (${file}) need a type of at most 40 lower-case letters, digits and hyphens, and the table ${tables} or one that begins with ${tables}_. See ${guide}.`,
      );
}

/** Returns whether an event names an object of the extension: `ticket.created` and `ticket_note.added` for `tickets`. */
function isEventOf(name: string, event: string): boolean {
  const [, object = ''] = /^([a-z][a-z0-9_]*)\.[a-z][a-z0-9_]*$/.exec(event) ?? [];
  const words = object.split('_');
  const starts = words.map((_, index) => words.slice(0, index + 1).join('_'));
  return starts.some((start) => start === name || pluralOf(start) === name);
}

/** Returns whether the API's version is in a range such as `^1.1`. */
function isSatisfied(range: unknown): boolean {
  const [, major, minor] = /^\^(\d+)\.(\d+)(?:\.0)?$/.exec(String(range)) ?? [];
  const [ownMajor, ownMinor] = extensionApiVersion.split('.').map(Number) as [number, number];
  return Number(major) === ownMajor && Number(minor) <= ownMinor;
}

/** Throws a StartUpError that names both extensions if two have one name, one name space of tables, or one permission. */
export function checkExtensions(extensions: readonly LoadedExtension[]): void {
  requireUnique(
    'name',
    extensions.map(({ name, file }) => ({ key: name, owner: file })),
  );
  const defined = extensions.filter(({ definition }) => definition);
  for (const { name } of defined) {
    const other = defined.find((one) => one.name.startsWith(`${name}-`));
    if (other)
      throw new StartUpError(
        `The extensions ${name} and ${other.name} share the tables ${name.replaceAll('-', '_')}_…. Rename one of them.`,
      );
  }
  requireUnique('permission', [
    ...Object.values(organizationPermissions).map(({ name }) => ({ key: name, owner: 'Vestibule' })),
    ...extensions.flatMap(({ name, definition }) =>
      (definition?.permissions ?? []).map((permission) => ({ key: permission.name, owner: name })),
    ),
  ]);
}

/** Throws a StartUpError that names both owners if an event of an extension is one of Vestibule or of another extension. */
export function checkWebhookEvents(
  extensions: readonly LoadedExtension[],
  ofVestibule: readonly string[],
): void {
  requireUnique('webhook event', [
    ...ofVestibule.map((key) => ({ key, owner: 'Vestibule' })),
    ...extensions.flatMap(({ name, definition }) =>
      (definition?.webhookEvents ?? []).map((key) => ({ key, owner: name })),
    ),
  ]);
}

/** Throws a StartUpError for a route that exists twice, or that needs an undefined permission. */
export function checkRoutes(areas: readonly Area[]): void {
  const permissions = new Set<string>(
    [...Object.values(organizationPermissions), ...areas.flatMap((area) => area.permissions ?? [])].map(
      ({ name }) => name,
    ),
  );
  for (const { routes, extension } of areas)
    for (const { route } of routes)
      if (typeof route.access === 'object' && !permissions.has(route.access.permission))
        throw new StartUpError(
          `${route.method} ${route.path} of ${extension ?? 'Vestibule'} needs the permission ${route.access.permission}, which no extension defines.`,
        );
  requireUnique(
    'route',
    areas.flatMap(({ routes, extension = 'Vestibule' }) =>
      routes.map(({ route: { method, path } }) => ({
        // The names of parameters do not distinguish routes.
        key: `${method} ${path.replaceAll(/:\w+/g, ':')}`,
        shown: `${method} ${path}`,
        owner: extension,
      })),
    ),
  );
}

type Use = { key: string; owner: string; shown?: string };

function requireUnique(kind: string, uses: readonly Use[]): void {
  const owners = new Map<string, string>();
  for (const { key, owner, shown = key } of uses) {
    const first = owners.get(key);
    if (first !== undefined)
      throw new StartUpError(`${first} and ${owner} have the same ${kind}: ${shown}. Rename one of them.`);
    owners.set(key, owner);
  }
}
