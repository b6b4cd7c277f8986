/** Features that the oldest supported browsers lack, above all Safari 17.5. They are removed from Chromium. */
import { getPreview, getRow, openOwnFiles, upload } from '../attachments/attachment-page.ts';
import { createPdf } from '../attachments/sample-files.ts';
import { createPerson } from '../../packages/testing/src/site.ts';
import { expect, expectDashboard, openAsAdministrator, signIn, test } from '../fixtures/site-test.ts';

function removeNewFunctions(): void {
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
  for (const [owner, names] of [
    [ReadableStream.prototype, ['values']],
    [Map.prototype, ['getOrInsert', 'getOrInsertComputed']],
    [Math, ['sumPrecise']],
    [Promise, ['try']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex']],
  ] as const)
    for (const name of names) Reflect.deleteProperty(owner, name);
}

test('a PDF is shown without recent additions to JavaScript (K7)', async ({ page, site }) => {
  await page.addInitScript(removeNewFunctions);
  await page.route('**/pdf.worker*', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `(${removeNewFunctions.toString()})();${await response.text()}` });
  });
  await openOwnFiles(page, site);
  await upload(page, [
    { name: 'paper.pdf', mimeType: 'application/pdf', buffer: createPdf(['Hello from page one']) },
  ]);
  await getRow(page, 'paper.pdf').getByRole('gridcell', { name: 'paper.pdf', exact: true }).click();
  await expect(getPreview(page, 'paper.pdf').getByRole('listitem')).toContainText('Hello from page one');
});

test('a reload keeps the sign-in if the browser refuses Secure cookies on http://localhost (C1)', async ({
  page,
  site,
}) => {
  await page.addInitScript(() => {
    const cookies = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie')!;
    Object.defineProperty(Document.prototype, 'cookie', {
      ...cookies,
      set(cookie: string) {
        if (!/; ?secure/i.test(cookie)) cookies.set!.call(this, cookie);
      },
    });
  });
  const member = await site.createMember();
  await signIn(page, member);
  await page.reload();
  await expectDashboard(page, member);
});

test('an invitation link is copied if copying is allowed only during a click, and the field for addresses shows several lines without field-sizing (D2)', async ({
  page,
  context,
  site,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.addInitScript(() => {
    for (const name of ['write', 'writeText'] as const) {
      const original = Clipboard.prototype[name] as (value: unknown) => Promise<void>;
      Clipboard.prototype[name] = async function (this: Clipboard, value: unknown) {
        if (window.event?.type !== 'click') throw new DOMException('not in a click', 'NotAllowedError');
        return original.call(this, value);
      };
    }
  });
  await page.route('**/*.css', async (route) => {
    const response = await route.fetch();
    const styles = await response.text();
    await route.fulfill({ response, body: styles.replaceAll('field-sizing', 'unknown-sizing') });
  });
  const { email } = createPerson();
  const { link } = await site.invite(email);
  await openAsAdministrator(page, site, '/layout/invitations');
  await page.getByRole('row', { name: email }).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy link' }).click();
  await expect(page.getByText(`The link for ${email} is on your clipboard.`)).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);

  await page.getByRole('button', { name: 'Invite someone' }).click();
  const field = page.getByLabel('E-mail addresses');
  await field.fill(Array.from({ length: 4 }, (_, index) => `p${index}@example.com`).join('\n'));
  await expect.poll(() => field.evaluate((area) => area.scrollHeight - area.clientHeight)).toBe(0);
});
