/** Test app on a real port with three people who open files by link. */
import { linkToAttachments, shareAttachment, type Sharing } from '@vestibule/contract/attachments';
import { expect } from 'vitest';
import type { TestPerson } from '../../../test/test-app.ts';
import { createListeningApp } from '../uploads/test-uploads.ts';

type Purpose = 'download' | 'preview';

export const codeOf = ({ bytes }: { bytes: Buffer }) =>
  (JSON.parse(bytes.toString()) as { code: string }).code;

export async function createContentsApp() {
  const t = await createListeningApp();
  const link = (person: TestPerson, ids: string[], purpose: Purpose = 'download') =>
    t.callAs(person, linkToAttachments, { body: { attachmentIds: ids, purpose } });
  return {
    ...t,
    admin: await t.join('admin@example.com', 'admin'),
    ann: await t.join('ann@example.com'),
    bob: await t.join('bob@example.com'),
    link,
    async pathTo(person: TestPerson, ids: string[], purpose?: Purpose): Promise<string> {
      const { status, body } = await link(person, ids, purpose);
      expect({ status, message: body.message }).toEqual({ status: 200, message: undefined });
      return body.path;
    },
    async get(address: string, headers: Record<string, string> = {}, method = 'GET') {
      const response = await fetch(new URL(address, t.origin), { method, headers });
      return {
        status: response.status,
        headers: response.headers,
        bytes: Buffer.from(await response.arrayBuffer()),
      };
    },
    share: (person: TestPerson, id: string, body: { sharing: Exclude<Sharing, 'people'> }) =>
      t.callAs(person, shareAttachment, { params: { attachmentId: id }, body }),
  };
}
