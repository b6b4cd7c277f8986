import { t } from '@lingui/core/macro';
import { IconFile } from '@tabler/icons-react';
import { listAttachments } from '@vestibule/contract/attachments';
import { fetchPageFrom } from '../../lib/lists/fetch-page.ts';
import type { Finder } from '../../lib/finder.ts';

const fetchPage = fetchPageFrom(listAttachments);

export default function filesFinder(): Finder {
  return {
    title: t`Files`,
    icon: IconFile,
    order: 3,
    async search(search, signal) {
      const { rows } = await fetchPage({ offset: 0, limit: 5, search }, signal);
      return rows.map(({ id, name, ownerName }) => ({
        id: `file-${id}`,
        label: name,
        detail: ownerName || undefined,
        target: { to: '/attachment', search: { file: id } },
      }));
    },
  };
}
