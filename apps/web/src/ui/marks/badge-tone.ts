export type BadgeTone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger';
