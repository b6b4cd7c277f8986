/** `/attachment`: own and shared files (A5, K7). */
import { msg } from '@lingui/core/macro';
import { IconPaperclip } from '@tabler/icons-react';
import { createFileRoute } from '@tanstack/react-router';
import {
  AttachmentsScreen,
  type AttachmentsAddress,
} from '../../features/attachments/attachments-screen.tsx';
import { loadGrid } from '../../ui/grid/load-grid.ts';
import { readGridAddress } from '../../ui/grid/grid-address.ts';

export const Route = createFileRoute('/_signed-in/attachment')({
  validateSearch: ({ file, upload, ...search }): AttachmentsAddress => ({
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
