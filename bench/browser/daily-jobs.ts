/**
 * Ten daily jobs of an administrator, done in Chromium as somebody who knows the site would, from the dashboard until the
 * screen says that it is done: presses of the mouse, keys, and the seconds that the site takes. Nobody thinks, looks or
 * moves a hand meanwhile, so people need longer; what is typed or pasted counts a key for each letter or paste.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Locator, type Page } from '@playwright/test';
import { enliven } from '../../e2e/site/lively-site.ts';
import { picture } from '../../e2e/site/picture.ts';
import { startSite, type Site } from '../../e2e/site/running-site.ts';
import { browserLaunch } from '../../tools/browser.ts';
import { median, printFigures, withUnit, type Figure } from '../report/figure.ts';

/** Playwright's own waiting looks up to half a second too late, which is as much as a job takes. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  const latest = performance.now() + 10_000;
  while (!(await holds())) {
    if (performance.now() > latest) throw new Error('What was waited for did not come within 10 s');
    await delay(5);
  }
}

/** Acts on a page, and counts. */
class Hand {
  clicks = 0;
  keys = 0;
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async click(what: Locator): Promise<void> {
    await this.see(what);
    this.clicks += 1;
    await what.click();
  }

  /** Types where the cursor is. */
  async type(text: string): Promise<void> {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }

  async press(keys: string): Promise<void> {
    this.keys += 1;
    await this.page.keyboard.press(keys);
  }

  /** A press on the button, and another one on the file in the system's window. */
  async choose(button: Locator, file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
    const chooser = this.page.waitForEvent('filechooser');
    await this.click(button);
    await (await chooser).setFiles(file);
    this.clicks += 1;
  }

  /** A press on the field, and another one on the entry of the list that the system opens. */
  async select(field: Locator, value: string): Promise<void> {
    await this.see(field);
    this.clicks += 2;
    await field.selectOption(value);
  }

  async see(what: string | RegExp | Locator): Promise<void> {
    const shown = typeof what === 'string' || what instanceof RegExp ? this.page.getByText(what) : what;
    await until(() => shown.first().isVisible());
  }

  async seeNoMore(what: Locator): Promise<void> {
    await until(async () => (await what.count()) === 0);
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name, exact: true });
  link = (name: string) => this.page.getByRole('navigation').getByRole('link', { name, exact: true });
  row = (text: string) => this.page.getByRole('row', { name: text });

  /** An entry of the menu of a row. */
  async fromMenuOf(text: string, entry: string): Promise<void> {
    await this.click(this.row(text).getByRole('button', { name: 'Actions' }));
    await this.click(this.page.getByRole('menuitem', { name: entry, exact: true }));
  }
}

type Job = {
  name: string;
  /** The most presses of the mouse that it may take. */
  limit: number;
  /** What it took before the screens were made anew (docs/benchmarks.md says how that is known). */
  before: { clicks: number; seconds: number };
  act: (hand: Hand) => Promise<void>;
};

const jobs: Job[] = [
  {
    name: 'invite one person',
    limit: 1,
    before: { clicks: 3, seconds: 1.01 },
    async act(hand) {
      await hand.click(hand.page.getByRole('main').getByRole('link', { name: 'Invite', exact: true }));
      await hand.see(hand.page.getByRole('dialog').getByLabel('E-mail addresses'));
      await hand.type('mary.shaw@example.com');
      await hand.press('Control+Enter');
      await hand.seeNoMore(hand.page.getByRole('dialog'));
      await hand.see('The invitation for mary.shaw@example.com is on its way.');
    },
  },
  {
    name: 'invite 60 from a CSV, correct two of its rows',
    limit: 7,
    before: { clicks: 8, seconds: 1.76 },
    async act(hand) {
      await hand.click(hand.page.getByRole('main').getByRole('link', { name: 'Invite', exact: true }));
      await hand.choose(hand.page.getByRole('dialog').getByRole('button', { name: /file/i }).first(), {
        name: 'staff.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(staff()),
      });
      await hand.click(hand.button('Check 60 addresses'));
      for (const wrong of ['wrong.one', 'wrong.two']) {
        await hand.click(hand.button(`Correct ${wrong}`));
        await hand.press('End');
        await hand.type('@example.com');
        await hand.press('Enter');
      }
      await hand.click(hand.button('Send 60 invitations'));
      await hand.see(hand.page.getByRole('dialog', { name: 'Invitations sent' }));
    },
  },
  {
    name: 'find why somebody has not come',
    limit: 0,
    before: { clicks: 0, seconds: 0.82 },
    async act(hand) {
      await hand.press('Control+k');
      await hand.see(hand.page.getByRole('dialog', { name: 'Search and commands' }));
      await hand.type('naur');
      await hand.see(hand.page.getByRole('option', { name: /peter\.naur@example\.com/ }));
      await hand.press('Enter');
      await hand.see('550 5.1.1 No such mailbox');
    },
  },
  {
    name: 'renew all that expired this week',
    limit: 7,
    before: { clicks: 10, seconds: 1.57 },
    async act(hand) {
      await hand.click(hand.link('Invitations'));
      await hand.click(hand.button(/^Expired/));
      await hand.click(hand.button('Filter Expires'));
      await hand.click(hand.button('Last 7 days'));
      await hand.press('Escape');
      await hand.see(hand.page.getByText('2 invitations', { exact: true }));
      await hand.click(hand.page.getByRole('checkbox', { name: 'Select all', exact: false }).first());
      await hand.click(
        hand.page.getByRole('group', { name: 'Selected rows' }).getByRole('button', { name: 'Renew' }),
      );
      await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: /^Renew/ }));
      await hand.see(/ renewed\./);
    },
  },
  {
    name: 'make somebody an administrator',
    limit: 4,
    before: { clicks: 4, seconds: 1.11 },
    async act(hand) {
      await hand.click(hand.link('People'));
      await hand.fromMenuOf('Grace Hopper', 'Make administrator');
      await hand.click(hand.page.getByRole('dialog').getByRole('button', { name: 'Make administrator' }));
      await hand.see('Grace Hopper is now an administrator.');
    },
  },
  {
    name: 'disable somebody, and undo it',
    limit: 4,
    before: { clicks: 7, seconds: 1.28 },
    async act(hand) {
      await hand.click(hand.link('People'));
      await hand.fromMenuOf('Radia Perlman', 'Disable');
      await hand.click(hand.button('Undo'));
      await hand.see('Radia Perlman is enabled again.');
    },
  },
  {
    name: 'share three files with two people',
    limit: 6,
    before: { clicks: 16, seconds: 2.81 },
    async act(hand) {
      await hand.click(hand.link('Attachments'));
      for (const file of ['Timetable.csv', 'Site plan.txt', 'House rules.txt'])
        await hand.click(hand.page.getByRole('checkbox', { name: `Select ${file}`, exact: true }));
      await hand.click(
        hand.page
          .getByRole('group', { name: 'Selected rows' })
          .getByRole('button', { name: 'Share', exact: true }),
      );
      // The cursor is in the field already.
      await hand.page.getByLabel('Name or e-mail address').and(hand.page.locator(':focus')).waitFor();
      for (const name of ['hopper', 'knuth']) {
        await hand.type(name);
        await hand.press('Enter');
      }
      for (const name of ['Grace Hopper', 'Donald Knuth'])
        await hand.see(hand.page.getByRole('button', { name: `Remove ${name}` }));
      await hand.click(hand.button('Save'));
      await hand.see(/shared with 2 people/);
    },
  },
  {
    name: 'find who deleted a file',
    limit: 2,
    before: { clicks: 2, seconds: 0.73 },
    async act(hand) {
      await hand.click(hand.link('Activity'));
      await hand.click(hand.page.getByRole('searchbox'));
      await hand.type('minutes');
      await hand.see(/Alan Kay.*deleted.*Minutes/i);
    },
  },
  {
    name: 'change the logo',
    limit: 3,
    before: { clicks: 3, seconds: 0.36 },
    async act(hand) {
      await hand.click(hand.link('Settings'));
      await hand.choose(hand.button('Choose a picture'), {
        name: 'logo.png',
        mimeType: 'image/png',
        buffer: picture(),
      });
      await hand.see(hand.page.getByRole('img', { name: 'Current logo' }));
    },
  },
  {
    name: 'change language and theme',
    limit: 4,
    before: { clicks: 4, seconds: 0.41 },
    async act(hand) {
      await hand.press('Control+Alt+Digit5');
      await hand.click(hand.page.getByRole('banner').locator('button[aria-haspopup="menu"]').last());
      await hand.click(hand.page.getByRole('menuitem', { name: 'Profile' }));
      await hand.select(hand.page.getByRole('combobox', { name: 'Language' }), 'de');
      await hand.see(hand.page.getByRole('heading', { name: 'Profil', exact: true }));
    },
  },
];

/** Each time on a site of its own, for a job is done once. */
const times = 5;

export async function measureDailyJobs(): Promise<Figure[]> {
  const runs: Done[][] = [];
  while (runs.length < times) runs.push(await doAll());
  return jobs.map(({ name, limit, before }, at) => {
    const [{ clicks, keys }] = runs.map((run) => run[at]) as [Done];
    const seconds = median(runs.map((run) => run[at]?.seconds ?? Number.NaN));
    return {
      name,
      measured: clicks,
      unit: 'clicks',
      limit: { at: 'most', value: limit },
      besides: `${keys === 1 ? '1 key' : `${keys} keys`}, ${withUnit(seconds, 's')}`,
      before: `${withUnit(before.clicks, 'clicks')}, ${withUnit(before.seconds, 's')}`,
    };
  });
}

type Done = { clicks: number; keys: number; seconds: number };

async function doAll(): Promise<Done[]> {
  await using closing = new AsyncDisposableStack();
  const site = await startSite();
  closing.defer(() => site.stop());
  await enliven(site);
  const browser = await chromium.launch(await browserLaunch());
  closing.defer(() => browser.close());
  const page = await browser.newPage({
    baseURL: site.url,
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(10_000);
  await enter(page, site);

  const done: Done[] = [];
  for (const { act } of jobs) {
    await page.goto('/layout/dashboard');
    await page.getByRole('heading', { name: 'Welcome' }).waitFor();
    const hand = new Hand(page);
    const startedAt = performance.now();
    await act(hand);
    done.push({
      clicks: hand.clicks,
      keys: hand.keys,
      seconds: (performance.now() - startedAt) / 1000,
    });
  }
  return done;
}

async function enter(page: Page, { administrator }: Site): Promise<void> {
  await page.goto('/');
  await page.locator('#email').fill(administrator.email);
  await page.locator('#password').fill(administrator.password);
  await page.locator('#next').click();
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
}

/** 60 people as a spreadsheet saves them, two of whom have no domain. */
function staff(): string {
  const addresses = Array.from({ length: 58 }, (_, at) => `staff.${at}@example.com`);
  return ['E-mail', 'wrong.one', 'wrong.two', ...addresses].join('\r\n');
}

if (import.meta.main) printFigures(await measureDailyJobs());
