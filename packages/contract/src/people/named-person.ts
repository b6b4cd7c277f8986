/** Somebody inside, in lists that keep their address only. */
import * as z from 'zod/mini';
import { Id } from '../values.ts';

export const NamedPerson = z.object({ id: Id, displayName: z.string() });
export type NamedPerson = z.output<typeof NamedPerson>;
