import * as z from 'zod/mini';

export const Role = z.enum(['member', 'admin']);
export type Role = z.output<typeof Role>;
