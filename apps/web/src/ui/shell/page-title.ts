/** Title and icon of the browser tab, with progress and the number of pending items. */
const shown = { title: '', waiting: 0, progress: '' };
const icons = { still: '/favicon.svg', waiting: '/favicon-waiting.svg' };

export function setPageTitle(title: string): void {
  shown.title = title;
  document.title = titleOf(shown);
}

/** Shows the number of pending items before the title and a dot in the icon; 0 removes both. */
export function setPendingCount(waiting: number): void {
  if (waiting === shown.waiting) return;
  shown.waiting = waiting;
  // No screen has set a title yet.
  shown.title ||= document.title;
  document.title = titleOf(shown);
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = waiting > 0 ? icons.waiting : icons.still;
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
  waiting,
  progress = '',
}: Pick<typeof shown, 'title' | 'waiting'> & Partial<typeof shown>): string {
  const counted = waiting > 0 ? `(${waiting > 99 ? '99+' : waiting}) ${title}` : title;
  return progress ? `${progress} · ${counted}` : counted;
}
