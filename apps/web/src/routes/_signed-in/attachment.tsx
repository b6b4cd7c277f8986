/** `/attachment`: own and shared files (A5, K7). */
import { msg } from '@lingui/core/macro';
import { IconPaperclip } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import { AttachmentsScreen } from '../../features/attachments/attachments-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress, type GridAddress } from '../../ui/grid/grid-query.ts';

/** `file` opens a preview; `upload` opens the file picker. */
type Search = GridAddress & {
  file?: string | undefined;
  upload?: true | undefined;
};

export const Route = createFileRoute('/_signed-in/attachment')({
  validateSearch: ({ file, upload, ...search }): Search => ({
    ...readGridAddress(search),
    file: typeof file === 'string' ? file : undefined,
    upload: upload === true || undefined,
  }),
  staticData: {
    menu: { label: msg`Attachments`, order: 5, icon: IconPaperclip },
    finder: () => import('../../features/attachments/files-finder.tsx'),
    actions: [{ label: msg`Upload files`, words: msg`add new attachment`, search: { upload: true } }],
  },
  loader: ({ context }) => loadGrid(context.session.configuration.GridLicenseKey),
  component: AttachmentsScreen,
});
