/** The tab's title and icon: what is shown, how far something is that runs, and whether something waits for the person. */
const shown = { title: '', waiting: 0, progress: '' };
const icons = { still: '/favicon.svg', waiting: '/favicon-waiting.svg' };

/** The title of the screen that is shown. */
export function setPageTitle(title: string): void {
  shown.title = title;
  document.title = titleOf(shown);
}

/** So many things wait: their number stands before the title, and the icon gets a dot. None takes both away. */
export function setPendingCount(waiting: number): void {
  if (waiting === shown.waiting) return;
  shown.waiting = waiting;
  // Before the first screen has a title, the page's own stands there.
  shown.title ||= document.title;
  document.title = titleOf(shown);
  const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (icon) icon.href = waiting > 0 ? icons.waiting : icons.still;
}

/** How far something is that goes on while screens change, "45%", before the title; empty takes it away. */
export function setTitleProgress(progress: string): void {
  if (progress === shown.progress) return;
  shown.progress = progress;
  shown.title ||= document.title;
  document.title = titleOf(shown);
}

/** "45% · (3) People · Vestibule". */
export function titleOf({
  title,
  waiting,
  progress = '',
}: Pick<typeof shown, 'title' | 'waiting'> & Partial<typeof shown>): string {
  const counted = waiting > 0 ? `(${waiting > 99 ? '99+' : waiting}) ${title}` : title;
  return progress ? `${progress} · ${counted}` : counted;
}
