/** Current member. Added to lists whose rows only have an address. */
import * as z from 'zod/mini';
import { Id } from '../values.ts';

export const NamedPerson = z.object({ id: Id, displayName: z.string() });
export type NamedPerson = z.output<typeof NamedPerson>;
