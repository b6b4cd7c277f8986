/** An administrator's day with invitations (K2, D15): many at once, what went wrong with one, and how it is mended. */
import { writeFile } from 'node:fs/promises';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, expectSignInPage, fillSignUp, signIn, test as base, type Page } from './journey.ts';
import { somebody } from './running-site.ts';
import { startMailServer, type MailServer } from './test-mail-server.ts';

const test = base.extend<object, { mailServer: MailServer }>({
  mailServer: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright wants a pattern, and this fixture needs no other
    async ({}, use) => {
      const mailServer = await startMailServer();
      await use(mailServer);
      await mailServer.stop();
    },
    { scope: 'worker' },
  ],
  serverEnv: [async ({ mailServer }, use) => use({ SMTP_URL: mailServer.url }), { scope: 'worker' }],
});

// Still pictures: colours in the middle of a movement are nobody's fault.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

const row = (page: Page, email: string) => page.getByRole('row', { name: email });
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const writing = (page: Page) => dialog(page, 'Invite somebody');
const checking = (page: Page) => dialog(page, 'What will happen');

async function openInvitations(page: Page): Promise<void> {
  await page.goto('/layout/invitations');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
}

async function openInviteDialog(page: Page): Promise<void> {
  await openInvitations(page);
  await page.getByRole('button', { name: 'Invite somebody' }).first().click();
  await expect(writing(page)).toBeVisible();
}

/** Narrows the grid to one row; others from other journeys are in it too. */
async function searchFor(page: Page, email: string): Promise<void> {
  await page.getByRole('searchbox').fill(email);
  await expect(row(page, email)).toBeVisible();
}

async function choose(page: Page, email: string, entry: string): Promise<void> {
  await row(page, email).getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

/** Nothing that axe can find, wide and on a phone, where nothing stands out at the side either. */
async function expectNoViolation(page: Page, where: string): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 720 };
  for (const size of [before, { width: 360, height: 740 }]) {
    await page.setViewportSize(size);
    const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
    const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n  ')}`);
    expect(found, `${where} at ${size.width} px`).toEqual([]);
    const tooWide = await page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.dialog, .dialog-body')]
        .filter((element) => element.scrollWidth > element.clientWidth + 1)
        .map((element) => element.className || element.tagName),
    );
    expect(tooWide, `${where} at ${size.width} px`).toEqual([]);
  }
  await page.setViewportSize(before);
}

test('a pasted list is tried first, sent once, and taken back with one click (K2)', async ({
  page,
  site,
  mailServer,
}) => {
  const [anna, bob, cy, gone] = [somebody(), somebody(), somebody(), somebody()];
  const invited = somebody();
  await site.invite(invited.email);
  const inside = await site.member();
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  await expectNoViolation(page, 'invite dialog');
  await writing(page)
    .getByLabel('E-mail addresses')
    .fill(
      `Anna Berg <${anna.email}>, ${bob.email}; "Ray, Cy" <${cy.email}>\n${gone.email}\n${bob.email.toUpperCase()}\n${invited.email}\n${inside.email}\nnot.an.address`,
    );
  await writing(page).getByLabel('Personal message (optional)').fill('Come in.');
  await writing(page).getByRole('button', { name: 'Check 8 addresses' }).click();

  await expect(checking(page).getByRole('status')).toHaveText(
    '4 people will be invited; 4 rows left out. Nothing has been sent yet.',
  );
  expect(mailServer.mailsTo(anna.email)).toEqual([]);
  for (const group of [
    'Not right 1',
    'Twice in the list 1',
    'Already invited 1',
    'Already inside 1',
    'New 4',
  ])
    await expect(checking(page).getByRole('heading', { name: group })).toBeVisible();
  await expectNoViolation(page, 'dry run');

  await checking(page)
    .getByRole('button', { name: `Take out ${gone.email}` })
    .click();
  await expect(checking(page).getByRole('heading', { name: 'Taken out 1' })).toBeVisible();
  await checking(page).getByRole('button', { name: 'Correct not.an.address' }).click();
  const mended = somebody();
  await checking(page).getByRole('textbox', { name: 'Address' }).fill(mended.email);
  await expectNoViolation(page, 'a row being corrected');
  await checking(page).getByRole('button', { name: 'Save' }).click();
  await expect(checking(page).getByRole('status')).toContainText('4 people will be invited');
  await expect(checking(page).getByRole('heading', { name: 'Not right' })).toHaveCount(0);

  await checking(page).getByRole('button', { name: 'Send 4 invitations' }).dblclick();
  const sent = dialog(page, 'Invitations sent');
  await expect(sent).toContainText('4 mails sent.');
  await expectNoViolation(page, 'a list that was sent');
  for (const { email } of [anna, bob, cy, mended]) expect(mailServer.mailsTo(email)).toHaveLength(1);
  expect(mailServer.mailsTo(gone.email)).toEqual([]);
  expect(mailServer.mailsTo(anna.email)[0]?.text).toContain('Come in.');

  await site.signUp({ ...bob }, await mailServer.linkTo(bob.email));
  await sent.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByText('Taken back: 3 invitations revoked')).toContainText(
    '1 person had signed up already and stays.',
  );
  await searchFor(page, anna.email);
  await expect(row(page, anna.email)).toContainText('Revoked');

  await page.getByRole('button', { name: 'Earlier lists' }).click();
  await expectNoViolation(page, 'earlier lists');
  await dialog(page, 'Earlier lists')
    .getByRole('button', { name: /^Open the list/ })
    .first()
    .click();
  await expect(sent).toContainText('Taken back on');
  await expect(sent.getByRole('button', { name: 'Undo' })).toHaveCount(0);
});

test('a CSV file is read by its titles; who is already invited is sent the mail again if wanted (K2)', async ({
  page,
  site,
  mailServer,
}) => {
  const [anna, bob] = [somebody(), somebody()];
  await site.invite(anna.email);
  await mailServer.linkTo(anna.email);
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  await page.locator('input[type=file]').setInputFiles({
    name: 'staff.csv',
    mimeType: 'text/csv',
    // As Excel writes it in Germany: Windows-1252 and semicolons.
    buffer: Buffer.from(
      `Nachname;Vorname;E-Mail;Rolle\r\n"Berg";Ännchen;${anna.email};\r\nStone;Bob;${bob.email};Administrator\r\n;;keine;Chef\r\n`,
      'latin1',
    ),
  });
  await expect(writing(page)).toContainText('staff.csv: 3 rows');
  await expect(writing(page)).toContainText('E-mail: E-Mail');
  await expectNoViolation(page, 'invite dialog with a list');
  await writing(page).getByRole('button', { name: 'Check 3 addresses' }).click();
  await expect(checking(page)).toContainText('Ännchen Berg');
  await expect(checking(page)).toContainText('Will be invited as an administrator.');

  const download = page.waitForEvent('download');
  await checking(page).getByRole('button', { name: 'Download the 1 row with problems' }).click();
  expect((await download).suggestedFilename()).toBe('rows-with-problems.csv');

  await checking(page).getByLabel('Send the mail again to those who are already invited').check();
  await checking(page).getByRole('button', { name: 'Send 2 invitations' }).click();
  await expect(dialog(page, 'Invitations sent')).toContainText('1 row');
  await mailServer.linkTo(bob.email);
  await mailServer.linkTo(anna.email, 2);
  expect(mailServer.mailsTo(bob.email)).toHaveLength(1);

  await dialog(page, 'Invitations sent').getByRole('button', { name: 'Show in the list' }).click();
  await expect(page.getByText('Of one list only.')).toBeVisible();
  await expect(row(page, bob.email)).toContainText('Bob Stone');
  await expect(row(page, anna.email)).toHaveCount(0);
});

test('10,000 rows are dropped on the dialog and tried at once; the list stays quick to look through (K2)', async ({
  page,
  site,
}) => {
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  const dataTransfer = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    const rows = Array.from({ length: 10_000 }, (_, at) => `Person ${at}\tperson-${at}@ten-thousand.example`);
    transfer.items.add(new File([`Name\tE-mail\n${rows.join('\n')}`], 'staff.tsv'));
    return transfer;
  });
  await writing(page).getByLabel('E-mail addresses').dispatchEvent('drop', { dataTransfer });
  await expect(writing(page)).toContainText('staff.tsv: 10,000 rows');
  await writing(page).getByRole('button', { name: 'Check 10,000 addresses' }).click();
  await expect(checking(page).getByRole('status')).toHaveText(
    '10,000 people will be invited. Nothing has been sent yet.',
  );
  await expect(checking(page).getByRole('listitem')).toHaveCount(50);
  await checking(page).getByRole('button', { name: 'Show more (9,950)' }).click();
  await checking(page).getByRole('button', { name: 'Take out person-400@ten-thousand.example' }).click();
  await expect(checking(page).getByRole('button', { name: 'Send 9,999 invitations' })).toBeEnabled();
});

test('what is no list is told in a sentence while the page goes on, and nothing is sent (K2)', async ({
  page,
  site,
}) => {
  const files: [name: string, content: string, sentence: string | RegExp][] = [
    ['workbook.csv', 'PK\u0003\u0004 and so on', 'This is an Excel workbook'],
    ['million.csv', `email\n${'somebody@example.com\n'.repeat(1_000_000)}`, 'more than 10,000 rows'],
    // So odd that reading it may take too long: then the worker is ended.
    ['quotes.csv', '"a'.repeat(4_000_000), /could not be read as a list|never closed/],
    ['empty.csv', '', 'This file is empty.'],
  ];
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') asked.push(request.url());
  });
  const message = writing(page).getByLabel('Personal message (optional)');
  for (const [name, content, sentence] of files) {
    const file = test.info().outputPath(name);
    await writeFile(file, content);
    await page.locator('input[type=file]').setInputFiles(file);
    await message.fill(`Typed while ${name} is read`);
    await expect(message).toHaveValue(`Typed while ${name} is read`);
    await expect(
      writing(page)
        .getByRole('alert')
        .filter({ hasText: `${name}: ` }),
    ).toContainText(sentence);
  }
  await expectNoViolation(page, 'a file that is no list');
  expect(asked).toEqual([]);
});

test('a connection that is lost while sending is taken up again, also by a new page, and nothing is sent twice (K2)', async ({
  page,
  context,
  site,
  mailServer,
  expectConsole,
}) => {
  expectConsole(/net::ERR_/, 'the connection is cut');
  const people = [somebody(), somebody()];
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  await writing(page)
    .getByLabel('E-mail addresses')
    .fill(people.map(({ email }) => email).join('\n'));
  await writing(page).getByRole('button', { name: 'Check 2 addresses' }).click();

  const keys: (string | undefined)[] = [];
  await context.route('**/api/invitations/batches', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    // The server has heard it; the answer gets lost.
    await route.fetch();
    await route.abort('connectionreset');
  });
  await checking(page).getByRole('button', { name: 'Send 2 invitations' }).click();
  await expect(page.getByText('The connection is lost.')).toBeVisible();
  await expectNoViolation(page, 'a lost connection');
  await page.reload();
  await expect(dialog(page, 'Sending the invitations')).toBeVisible();
  await expect.poll(() => keys.length).toBeGreaterThan(1);
  await context.unroute('**/api/invitations/batches');
  await expect(dialog(page, 'Invitations sent')).toContainText('2 mails sent.', { timeout: 30_000 });
  expect(new Set(keys).size).toBe(1);
  for (const { email } of people) expect(mailServer.mailsTo(email)).toHaveLength(1);
});

test('nothing that was typed for an invitation is lost by closing the dialog or leaving the screen (K2)', async ({
  page,
  site,
}) => {
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  await writing(page).getByLabel('E-mail addresses').fill('a@example.com, b@example');
  await writing(page).getByLabel('Personal message (optional)').fill('Half a sentence');
  await page.keyboard.press('Escape');
  await page.getByRole('navigation').getByRole('link', { name: 'People' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invitations');
  await expect(writing(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  await expect(writing(page).getByLabel('Personal message (optional)')).toHaveValue('Half a sentence');
  await writing(page).getByRole('button', { name: 'Check 2 addresses' }).click();
  await expect(checking(page)).toBeVisible();
  // Back by the browser's button: the screen goes with the dialog open.
  await page.goBack();
  await page.goForward();
  await expect(checking(page)).toContainText('b@example');
  await checking(page).getByRole('button', { name: 'Back' }).click();
  await expect(writing(page).getByLabel('E-mail addresses')).toHaveValue('a@example.com, b@example');
});

test('a mail that bounces says why, and a changed address mends it (K2, N)', async ({
  page,
  site,
  mailServer,
  otherBrowser,
}) => {
  const person = somebody();
  const wrong = `bounce-${person.email}`;
  await signIn(page, site.administrator);
  await openInviteDialog(page);
  await writing(page).getByLabel('E-mail addresses').fill(wrong);
  await writing(page).getByRole('button', { name: 'Send invitation' }).click();
  await searchFor(page, wrong);
  await expect(row(page, wrong)).toContainText('Failed', { timeout: 20_000 });
  await choose(page, wrong, 'Details');
  const details = dialog(page, `Invitation of ${wrong}`);
  await expect(details).toContainText('The mail did not arrive. There is no such mailbox.');
  await expect(details).toContainText('No such mailbox here');
  await expect(details.getByRole('listitem').first()).toContainText('Invited');
  await expectNoViolation(page, 'details');

  await details.getByRole('button', { name: 'Actions' }).click();
  await page.getByRole('menuitem', { name: 'Change address' }).click();
  const change = dialog(page, `Change the address: ${wrong}`);
  await expectNoViolation(page, 'change address');
  await change.getByLabel('E-mail address').fill(person.email);
  await change.getByRole('button', { name: 'Change and send' }).click();
  await expect(page.getByText(`The invitation is on its way to ${person.email}.`)).toBeVisible();
  const link = await mailServer.linkTo(person.email);
  await expect(dialog(page, `Invitation of ${person.email}`)).toContainText('Address changed');

  const other = await otherBrowser();
  await other.goto(link);
  await expect(other.locator('#email')).toHaveValue(person.email);
  await fillSignUp(other, person);
  await expect(other.getByText('Sign up successfully.')).toBeVisible();
});

test('an expired invitation is renewed and redeemed with the new link (K2)', async ({
  page,
  site,
  mailServer,
  otherBrowser,
}) => {
  const person = somebody();
  const { id, link } = await site.invite(person.email);
  await mailServer.linkTo(person.email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await searchFor(page, person.email);
  await expect(row(page, person.email)).toContainText('Expired');
  await choose(page, person.email, 'Renew');
  await expectNoViolation(page, 'renew');
  await dialog(page, `Renew: ${person.email}`).getByRole('button', { name: 'Renew invitation' }).click();
  await expect(page.getByText(`A new link for ${person.email} is on its way.`)).toBeVisible();
  const newLink = await mailServer.linkTo(person.email, 2);
  expect(newLink).not.toBe(link);

  const other = await otherBrowser();
  await other.goto(newLink);
  await fillSignUp(other, person);
  await expect(other.getByText('Sign up successfully.')).toBeVisible();
  // The list has heard of it without being asked.
  await expect(row(page, person.email)).toContainText('Redeemed');
});

test('whoever comes with an expired link asks for a new one, which goes to the invited address (D6, D15)', async ({
  page,
  site,
  mailServer,
}) => {
  const person = somebody();
  const { id, link } = await site.invite(person.email);
  await mailServer.linkTo(person.email);
  await site.sql("update invitations set expires_at = now() - interval '1 minute' where id = $1", [id]);
  await page.goto(link);
  const expired = dialog(page, 'Sign up error');
  await expect(expired.locator('p')).toHaveText(
    'Invite link is expired. Please contact support at support@example.com with any questions.',
  );
  await expectNoViolation(page, 'expired');
  await expired.getByRole('button', { name: 'Send me a new link' }).click();
  const told = dialog(page, 'Check your mailbox');
  await expect(told).toContainText('a new link is on its way to the address that was invited');
  await expectNoViolation(page, 'new link asked for');
  await told.getByRole('button', { name: 'Ok' }).click();
  await expectSignInPage(page);
  const newLink = await mailServer.linkTo(person.email, 2);
  await page.goto(newLink);
  await fillSignUp(page, person);
  await expect(page.getByText('Sign up successfully.')).toBeVisible();
});

test('a sign-up that is cancelled at the provider leads home without a word and stands in the timeline (D10, K2)', async ({
  page,
  site,
  otherBrowser,
}) => {
  const person = somebody();
  const { id, link } = await site.invite(person.email);
  const invited = await otherBrowser();
  await invited.goto(link);
  await invited.locator('#cancel').click();
  await expectSignInPage(invited);
  await signIn(page, site.administrator);
  await page.goto(`/layout/invitations?invitation=${id}`);
  const details = dialog(page, `Invitation of ${person.email}`);
  await expect(details).toContainText('cancelled at the sign-in service');
  await expect(details.getByRole('listitem').filter({ hasText: 'Cancelled the sign-up' })).toBeVisible();
});

test('a link is shown as a QR code, to be printed or put into a letter (K2)', async ({ page, site }) => {
  const person = somebody();
  const { link } = await site.invite(person.email);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await searchFor(page, person.email);
  await choose(page, person.email, 'QR code');
  const code = dialog(page, 'QR code of the invitation');
  await expect(code).toContainText(link);
  await expect(code.locator('figure svg path')).toHaveCount(1);
  await expectNoViolation(page, 'QR code');
  for (const format of ['SVG', 'PNG']) {
    const download = page.waitForEvent('download');
    await code.getByRole('button', { name: `${format} file` }).click();
    expect((await download).suggestedFilename()).toBe(`invitation-${person.email}.${format.toLowerCase()}`);
  }
});

test('many are revoked at once; those that it cannot be done to are named with the reason (K2)', async ({
  page,
  site,
}) => {
  const mark = `many-${process.pid}`;
  const addresses = [1, 2, 3].map((number) => `${mark}-${number}@example.com`);
  const [first] = await Promise.all(addresses.map((email) => site.invite(email)));
  await site.order('POST', `/api/invitations/${first?.id}/revoke`);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await page.getByRole('searchbox').fill(mark);
  await expect(page.getByText('3 invitations', { exact: true })).toBeVisible();
  for (const email of addresses) await row(page, email).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Revoke' }).click();
  const ask = dialog(page, 'Revoke: 3 invitations');
  for (const email of addresses) await expect(ask).toContainText(email);
  await expectNoViolation(page, 'revoke many');
  await ask.getByRole('button', { name: 'Revoke: 3 invitations' }).click();
  await expect(page.getByText('2 invitations revoked.')).toBeVisible();
  await expect(dialog(page, '1 invitation left as they are')).toContainText(addresses[0] ?? '');
});

test('two administrators act on one invitation: the second is told what has changed (K2)', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(/status of 409/, 'somebody else was faster');
  const { email } = somebody();
  const { id } = await site.invite(email);
  await signIn(page, site.administrator);
  await openInvitations(page);
  await searchFor(page, email);
  await choose(page, email, 'Revoke');
  await site.order('POST', `/api/invitations/${id}/revoke`);
  await dialog(page, `Revoke: ${email}`).getByRole('button', { name: 'Revoke invitation' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'It was revoked on' })).toBeVisible();
  await expect(row(page, email)).toContainText('Revoked');
});
