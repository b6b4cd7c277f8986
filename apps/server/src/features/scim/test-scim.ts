/** A site with enabled directory sync, for tests. */
import {
  changeDirectory,
  createDirectoryToken,
  scimPath,
  type Directory,
} from '@vestibule/contract/directory';
import { createTestApp, type TestApp, type TestPerson } from '../../test/test-app.ts';

type ScimBody = Record<string, unknown> & {
  id: string;
  detail?: string;
  scimType?: string;
  totalResults?: number;
  Resources?: (Record<string, unknown> & { id: string })[];
};
export type TestDirectory = Awaited<ReturnType<typeof createTestScim>>;

export async function createTestScim(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const admin = await t.join('admin@example.com', 'admin');
  const token = await makeToken(t, admin);
  const set = (body: Partial<Pick<Directory, 'isOn' | 'onCreate'>>) =>
    t.callAs(admin, changeDirectory, { body });
  await set({ isOn: true });

  const scim = createScimClient(t, token);

  const create = async (userName: string, more: object = {}) => {
    const { status, body } = await scim('POST', '/Users', { schemas: [userSchema], userName, ...more });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body;
  };
  /** Deletes the directory's users and groups, and all people and invitations except the administrator's. */
  async function clear(): Promise<void> {
    for (const table of ['directory_groups', 'directory_users', 'removed_people'])
      await t.select(`delete from ${table}`);
    for (const table of ['invitations', 'people'])
      await t.select(`delete from ${table} where email <> $1`, [admin.email]);
  }

  return { t, admin, token, set, scim, create, signIn: t.signIn, clear, close: () => t.close() };
}

/** Sends requests with a directory token. */
export function createScimClient(t: TestApp, token: string) {
  return async (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const response = await t.app.inject({
      method,
      url: scimPath + path,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/scim+json; charset=utf-8' }),
        ...headers,
      },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: (response.payload ? JSON.parse(response.payload) : {}) as ScimBody,
    };
  };
}

export async function makeToken(t: TestApp, admin: TestPerson): Promise<string> {
  return (await t.callAs(admin, createDirectoryToken)).body.token;
}

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const patchOf = (...Operations: object[]) => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
  Operations,
});
