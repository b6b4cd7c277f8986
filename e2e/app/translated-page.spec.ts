/** Programs that translate a page in the browser change its text nodes while React renders. */
import { expect, openAsAdministrator, test, type Page } from '../fixtures/site-test.ts';
import type { Site } from '../../packages/testing/src/site.ts';

/** Imitates Google Translate, which wraps each text node in two `<font>` elements or replaces it by them, in turn. */
function translate(): void {
  let count = 0;
  const wrap = (root: Node) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const texts: Text[] = [];
    while (walker.nextNode()) texts.push(walker.currentNode as Text);
    for (const text of texts) {
      const parent = text.parentElement;
      if (!parent || !text.data.trim() || parent.closest('font, script, style, textarea, svg')) continue;
      const inner = document.createElement('font');
      const outer = document.createElement('font');
      outer.append(inner);
      text.replaceWith(outer);
      count += 1;
      inner.append(count % 2 ? text : `${text.data} `);
    }
  };
  document.addEventListener('DOMContentLoaded', () => {
    wrap(document.body);
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node.isConnected) wrap(node.parentNode ?? node);
    }).observe(document.body, { childList: true, subtree: true });
  });
}

async function walk(page: Page): Promise<void> {
  const heading = page.getByRole('heading', { level: 1 });
  for (const name of ['People', 'Invitations', 'Attachments', 'Activity', 'Settings', 'Dashboard']) {
    await page.getByRole('navigation').getByRole('link', { name }).first().click();
    await expect(heading).toContainText(name === 'Dashboard' ? 'Welcome' : name);
    await expect(page.locator('.skeleton')).toHaveCount(0);
  }
  await page.getByRole('navigation').getByRole('link', { name: 'Invitations' }).click();
  await page.getByRole('button', { name: 'Invite someone' }).click();
  const dialog = page.getByRole('dialog');
  for (const [addresses, count] of [
    ['ann@example.com, ben@example.com', 2],
    ['ann@example.com, ben@example.com, cy@example.com', 3],
  ] as const) {
    await dialog.getByRole('textbox').first().fill(addresses);
    await expect(dialog.getByRole('button', { name: `Check ${count} addresses` })).toBeVisible();
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
}

/** Removes texts that are single text nodes: the description of the webhook and the dot after it. */
async function removeText(page: Page, site: Site): Promise<void> {
  const webhook = { url: 'http://127.0.0.1:9/', events: ['invitation.created'], description: 'Ledger' };
  await site.call(site.administrator, 'POST', '/api/webhooks', webhook);
  await page.goto('/layout/settings/webhooks');
  await page.getByRole('button', { name: 'More: 127.0.0.1:9' }).last().click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await page.getByLabel('Description').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(page.getByText('Ledger')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Settings');
}

test('dialogs and screens work while a translator wraps and replaces texts', async ({
  page,
  site,
  expectConsole,
}) => {
  expectConsole(
    /Blocked script execution in 'about:srcdoc'/,
    'the mail preview runs no scripts, so the translator cannot run there',
  );
  await page.addInitScript(translate);
  await openAsAdministrator(page, site, '/layout/dashboard');
  await walk(page);
  await removeText(page, site);
});
