import { createContext } from 'react';

/** Title and icon of the browser tab, with progress and the number of pending items. */
const shown = { title: '', pendingCount: 0, progress: '' };
const icons = { still: '/favicon.svg', pending: '/favicon-waiting.svg' };

export function setPageTitle(title: string): void {
  shown.title = title;
  document.title = titleOf(shown);
}

/** Shows the number of pending items before the title and a dot in the icon; 0 removes both. */
export function setPendingCount(pendingCount: number): void {
  if (pendingCount === shown.pendingCount) return;
  shown.pendingCount = pendingCount;
  // No screen has set a title yet.
  shown.title ||= document.title;
  document.title = titleOf(shown);
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = pendingCount > 0 ? icons.pending : icons.still;
}

/** Shows the progress of a background task before the title, such as "45%"; empty removes it. */
export function setTitleProgress(progress: string): void {
  if (progress === shown.progress) return;
  shown.progress = progress;
  shown.title ||= document.title;
  document.title = titleOf(shown);
}

/** Returns, for example, "45% · (3) People · Vestibule". */
export function titleOf({
  title,
  pendingCount,
  progress = '',
}: Pick<typeof shown, 'title' | 'pendingCount'> & Partial<typeof shown>): string {
  const counted = pendingCount > 0 ? `(${pendingCount > 99 ? '99+' : pendingCount}) ${title}` : title;
  return progress ? `${progress} · ${counted}` : counted;
}

/** Id of the screen's heading, which names the main content. */
export const pageTitleId = 'page-title';

/** Product name, the last part of each page title. */
export const PageTitleContext = createContext('');
