/**
 * Measures ten daily tasks of an administrator in Chromium: mouse clicks, key presses and the site's response time. Excludes the
 * time a person needs to read and move. Each typed letter and each paste counts as one key.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Locator, type Page } from '@playwright/test';
import { seedActivity } from '../../e2e/fixtures/seed-activity.ts';
import { createPicture } from '../../e2e/fixtures/sample-picture.ts';
import { startSite, type Site } from '../../e2e/fixtures/site.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, formatWithUnit, type Figure } from '../report/figure.ts';

/** Waits with an interval of 5 ms. Playwright's own polling is up to half a second late, as long as a task takes. */
async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('The expected state was not reached within 10 s');
    await delay(5);
  }
}

class CountingUser {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(target: Locator): Promise<void> {
    await this.waitForVisible(target);
    this.clicks += 1;
    await target.click();
  }

  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }

  async press(keys: string): Promise<void> {
    this.keys += 1;
    await this.page.keyboard.press(keys);
  }

  /** Chooses a file: one click on the button, one in the file dialog. */
  async choose(button: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.click(button);
    await (await chooser).setFiles(file);
    this.clicks += 1;
  }

  /** Selects an option: one click on the field, one on the option. */
  async select(field: Locator, value: string): Promise<void> {
    await this.waitForVisible(field);
    this.clicks += 2;
    await field.selectOption(value);
  }

  async waitForVisible(target: string | RegExp | Locator): Promise<void> {
    const shown =
      typeof target === 'string' || target instanceof RegExp ? this.page.getByText(target) : target;
    await waitUntil(() => shown.first().isVisible());
  }

  async waitForHidden(target: Locator): Promise<void> {
    await waitUntil(async () => (await target.count()) === 0);
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name, exact: true });
  link = (name: string) => this.page.getByRole('navigation').getByRole('link', { name, exact: true });
  row = (text: string) => this.page.getByRole('row', { name: text });

  async chooseFromRowMenu(text: string, entry: string): Promise<void> {
    await this.click(this.row(text).getByRole('button', { name: 'Actions' }));
    await this.click(this.page.getByRole('menuitem', { name: entry, exact: true }));
  }
}

type Task = {
  name: string;
  maximumClicks: number;
  /** Result before the redesign of the screens (docs/benchmarks.md). */
  before: { clicks: number; seconds: number };
  run: (user: CountingUser) => Promise<void>;
};

const tasks: Task[] = [
  {
    name: 'invite one person',
    maximumClicks: 1,
    before: { clicks: 3, seconds: 1.01 },
    async run(user) {
      await user.click(user.page.getByRole('main').getByRole('link', { name: 'Invite', exact: true }));
      await user.waitForVisible(user.page.getByRole('dialog').getByLabel('E-mail addresses'));
      await user.type('mary.shaw@example.com');
      await user.press('Control+Enter');
      await user.waitForHidden(user.page.getByRole('dialog'));
      await user.waitForVisible('The invitation for mary.shaw@example.com is on its way.');
    },
  },
  {
    name: 'invite 60 from a CSV, correct two of its rows',
    maximumClicks: 7,
    before: { clicks: 8, seconds: 1.76 },
    async run(user) {
      await user.click(user.page.getByRole('main').getByRole('link', { name: 'Invite', exact: true }));
      await user.choose(user.page.getByRole('dialog').getByRole('button', { name: /file/i }).first(), {
        name: 'staff.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(createStaffCsv()),
      });
      await user.click(user.button('Check 60 addresses'));
      for (const wrong of ['wrong.one', 'wrong.two']) {
        await user.click(user.button(`Correct ${wrong}`));
        await user.press('End');
        await user.type('@example.com');
        await user.press('Enter');
      }
      await user.click(user.button('Send 60 invitations'));
      await user.waitForVisible(user.page.getByRole('dialog', { name: 'Invitations sent' }));
    },
  },
  {
    name: 'find why a person has not joined',
    maximumClicks: 0,
    before: { clicks: 0, seconds: 0.82 },
    async run(user) {
      await user.press('Control+k');
      await user.waitForVisible(user.page.getByRole('dialog', { name: 'Search and commands' }));
      await user.type('naur');
      await user.waitForVisible(user.page.getByRole('option', { name: /peter\.naur@example\.com/ }));
      await user.press('Enter');
      await user.waitForVisible('550 5.1.1 No such mailbox');
    },
  },
  {
    name: 'renew all that expired this week',
    maximumClicks: 7,
    before: { clicks: 10, seconds: 1.57 },
    async run(user) {
      await user.click(user.link('Invitations'));
      await user.click(user.button(/^Expired/));
      await user.click(user.button('Filter Expires'));
      await user.click(user.button('Last 7 days'));
      await user.press('Escape');
      await user.waitForVisible(user.page.getByText('2 invitations', { exact: true }));
      await user.click(user.page.getByRole('checkbox', { name: 'Select all', exact: false }).first());
      await user.click(
        user.page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Renew' }),
      );
      await user.click(user.page.getByRole('dialog').getByRole('button', { name: /^Renew/ }));
      await user.waitForVisible(/ renewed\./);
    },
  },
  {
    name: 'make a person an administrator',
    maximumClicks: 4,
    before: { clicks: 4, seconds: 1.11 },
    async run(user) {
      await user.click(user.link('People'));
      await user.chooseFromRowMenu('Grace Hopper', 'Make administrator');
      await user.click(user.page.getByRole('dialog').getByRole('button', { name: 'Make administrator' }));
      await user.waitForVisible('Grace Hopper is now an administrator.');
    },
  },
  {
    name: 'disable a person and undo it',
    maximumClicks: 4,
    before: { clicks: 7, seconds: 1.28 },
    async run(user) {
      await user.click(user.link('People'));
      await user.chooseFromRowMenu('Radia Perlman', 'Disable');
      await user.click(user.button('Undo'));
      await user.waitForVisible('Radia Perlman is enabled again.');
    },
  },
  {
    name: 'share three files with two people',
    maximumClicks: 6,
    before: { clicks: 16, seconds: 2.81 },
    async run(user) {
      await user.click(user.link('Attachments'));
      for (const file of ['Timetable.csv', 'Site plan.txt', 'House rules.txt'])
        await user.click(user.page.getByRole('checkbox', { name: `Select ${file}`, exact: true }));
      await user.click(
        user.page
          .getByRole('group', { name: 'Selected rows' })
          .getByRole('button', { name: 'Share', exact: true }),
      );
      await user.page.getByLabel('Name or e-mail address').and(user.page.locator(':focus')).waitFor();
      for (const name of ['hopper', 'knuth']) {
        await user.type(name);
        await user.press('Enter');
      }
      for (const name of ['Grace Hopper', 'Donald Knuth'])
        await user.waitForVisible(user.page.getByRole('button', { name: `Remove ${name}` }));
      await user.click(user.button('Save'));
      await user.waitForVisible(/shared with 2 people/);
    },
  },
  {
    name: 'find who deleted a file',
    maximumClicks: 2,
    before: { clicks: 2, seconds: 0.73 },
    async run(user) {
      await user.click(user.link('Activity'));
      await user.click(user.page.getByRole('searchbox'));
      await user.type('minutes');
      await user.waitForVisible(/Alan Kay.*deleted.*Minutes/i);
    },
  },
  {
    name: 'change the logo',
    maximumClicks: 3,
    before: { clicks: 3, seconds: 0.36 },
    async run(user) {
      await user.click(user.link('Settings'));
      await user.choose(user.button('Choose a picture'), {
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: createPicture(),
      });
      await user.waitForVisible(user.page.getByRole('img', { name: 'Current logo' }));
    },
  },
  {
    name: 'change language and theme',
    maximumClicks: 4,
    before: { clicks: 4, seconds: 0.41 },
    async run(user) {
      await user.press('Control+Alt+Digit5');
      await user.click(user.page.getByRole('banner').locator('button[aria-haspopup="menu"]').last());
      await user.click(user.page.getByRole('menuitem', { name: 'Profile' }));
      await user.select(user.page.getByRole('combobox', { name: 'Language' }), 'de');
      await user.waitForVisible(user.page.getByRole('heading', { name: 'Profil', exact: true }));
    },
  },
];

/** Each repetition uses a new site, because a task can only be done once. */
const repetitions = 5;

export async function measureDailyJobs(): Promise<Figure[]> {
  const runs: TaskResult[][] = [];
  while (runs.length < repetitions) runs.push(await runAllTasks());
  return tasks.map(({ name, maximumClicks, before }, at) => {
    const [{ clicks, keys }] = runs.map((run) => run[at]) as [TaskResult];
    const seconds = median(runs.map((run) => run[at]?.seconds ?? Number.NaN));
    return {
      name,
      measured: clicks,
      unit: 'clicks',
      limit: { at: 'most', value: maximumClicks },
      note: `${keys === 1 ? '1 key' : `${keys} keys`}, ${formatWithUnit(seconds, 's')}`,
      before: `${formatWithUnit(before.clicks, 'clicks')}, ${formatWithUnit(before.seconds, 's')}`,
    };
  });
}

type TaskResult = { clicks: number; keys: number; seconds: number };

async function runAllTasks(): Promise<TaskResult[]> {
  await using closing = new AsyncDisposableStack();
  const site = await startSite();
  closing.defer(() => site.stop());
  await seedActivity(site);
  const browser = await chromium.launch(await browserLaunch());
  closing.defer(() => browser.close());
  const page = await browser.newPage({
    baseURL: site.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(10_000);
  await signIn(page, site);

  const results: TaskResult[] = [];
  for (const { run } of tasks) {
    await page.goto('/layout/dashboard');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    const user = new CountingUser(page);
    const startedAt = performance.now();
    await run(user);
    results.push({
      clicks: user.clicks,
      keys: user.keys,
      seconds: (performance.now() - startedAt) / 1000,
    });
  }
  return results;
}

async function signIn(page: Page, { administrator }: Site): Promise<void> {
  await page.goto('/');
  await page.locator('#email').fill(administrator.email);
  await page.locator('#password').fill(administrator.password);
  await page.locator('#next').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
}

function createStaffCsv(): string {
  const addresses = Array.from({ length: 58 }, (_, at) => `staff.${at}@example.com`);
  return ['E-mail', 'wrong.one', 'wrong.two', ...addresses].join('\r\n');
}

if (import.meta.main) printFigures(await measureDailyJobs());
