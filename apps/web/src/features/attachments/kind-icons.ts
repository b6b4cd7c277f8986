/** Icon path data of 24 by 24 by kind of file. */
import type { AttachmentKind } from '@vestibule/contract/attachments';

const page = 'M6 3h8l4 4v14H6zM14 3v4h4';

export const kindIcons: Record<AttachmentKind, string> = {
  picture: 'M4 5h16v14H4zM9 10a1.5 1.5 0 1 1-3 0a1.5 1.5 0 0 1 3 0zM5 18l5-5 3 3 2-2 4 4',
  pdf: `${page}M10 17v-6h2.5a1.8 1.8 0 0 1 0 3.6H10`,
  text: `${page}M9 12h6M9 16h6`,
  audio: 'M9 17V6l10-2v11M9 17a3 3 0 1 1-6 0a3 3 0 0 1 6 0zM19 15a3 3 0 1 1-6 0a3 3 0 0 1 6 0z',
  video: 'M3 6h12v12H3zM15 11l6-3v8l-6-3z',
  other: page,
};
