/** What a badge's colour may mean. */
export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';
