import { t } from '@lingui/core/macro';
import { IconApps } from '@tabler/icons-react';
import { listMyApplications } from '@vestibule/contract/applications/open';
import { call } from '../../lib/call.ts';
import type { Finder } from '../../lib/finder.ts';
import { matchesWords } from '../../lib/matches-words.ts';
import { hostOf } from './application-texts.ts';

export default function applicationsFinder(): Finder {
  return {
    title: t`Applications`,
    icon: IconApps,
    order: 0,
    async search(text, signal) {
      const { rows } = await call(listMyApplications, { signal });
      return rows
        .filter(({ name, address }) => matchesWords(text, `${name} ${address}`))
        .map((application) => ({
          id: `application-${application.id}`,
          label: application.name,
          detail: hostOf(application),
          target: { href: application.address },
        }));
    },
  };
}
