/** All measurements by name. Each has a section in docs/benchmarks.md. */
import { measureGridScroll } from './browser/grid-scroll.ts';
import { measureLoginPaint } from './browser/login-paint.ts';
import { measureWebBudgets } from './browser/web-budgets.ts';
import type { LoadedSite, Site } from './harness/site.ts';
import { measureForwardAuth } from './load/applications.ts';
import { measureAttachments } from './load/attachments.ts';
import { measureInvite, measureInviteMany, measureRedeem } from './load/invitations.ts';
import { measureLists } from './load/lists.ts';
import { measureOrganizations } from './load/organizations.ts';
import { measureMemory } from './load/memory.ts';
import { measureSessions, measureWhoAmI } from './load/sessions.ts';
import { measurePeers } from './peers/better-auth.ts';
import { measureStart } from './process/start.ts';
import { runBursts } from './reliability/bursts.ts';
import { killPostgres, killServer } from './reliability/kills.ts';
import { killDuringMailOutage } from './reliability/mail-outage.ts';
import { uploadUnderKills } from './reliability/uploads.ts';
import type { Figure } from './report.ts';

/** On one process with a million people. `memory` is last, because it reports the peak of all measurements. */
export const load: Record<string, (site: LoadedSite) => Promise<Figure[]>> = {
  'who-am-i': measureWhoAmI,
  lists: measureLists,
  attachments: measureAttachments,
  invite: measureInvite,
  'invite-many': measureInviteMany,
  redeem: measureRedeem,
  sessions: measureSessions,
  organizations: measureOrganizations,
  'forward-auth': measureForwardAuth,
  memory: measureMemory,
};

/** As `load`, but only if named: it downloads another product. */
export const downloading: typeof load = { peers: measurePeers };

export const alone: Record<string, () => Promise<Figure[]>> = {
  'web-budgets': measureWebBudgets,
  'login-paint': measureLoginPaint,
  'grid-scroll': measureGridScroll,
  start: measureStart,
};

/** On two processes, repeated `times` times. Figures count failures; nothing is retried. */
export const reliability: Record<string, (site: Site, times: number) => Promise<Figure[]>> = {
  'kill-server': killServer,
  'kill-postgres': killPostgres,
  bursts: runBursts,
  uploads: uploadUnderKills,
  'mail-outage': killDuringMailOutage,
};

export const measurements = { ...load, ...downloading, ...alone, ...reliability };
