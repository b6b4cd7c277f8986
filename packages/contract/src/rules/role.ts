import * as z from 'zod/mini';

/** What somebody may do: members come in, administrators also see and change who is inside. */
export const Role = z.enum(['member', 'admin']);
export type Role = z.output<typeof Role>;
