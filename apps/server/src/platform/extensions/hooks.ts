/** Hooks: functions of extensions that are called in the transaction of a change. */
import type { Queryable } from '../database/database.ts';

/** Changes by the name of their hook. */
type Changes = {
  personJoined: { personId: string; email: string };
  /** Called before the rows of the person are deleted. */
  personRemoved: { personId: string; email: string };
  /** `personIds` are those of the person's former accounts; their names are replaced in all tables afterwards. */
  personErased: { personIds: string[] };
  organizationCreated: { organizationId: string };
  /** Called before the rows of the organization are deleted. */
  organizationDeleted: { organizationId: string };
};
type Name = keyof Changes;

export type ExtensionHooks<Context> = {
  [N in Name]?: (change: Changes[N] & { transaction: Queryable }, context: Context) => Promise<unknown>;
};

export type Hooks = {
  /** Calls the hooks of all extensions, one after the other, for each change. */
  call<N extends Name>(name: N, transaction: Queryable, changes: Changes[N][]): Promise<void>;
  has(name: Name): boolean;
};

export const noHooks: Hooks = { call: () => Promise.resolve(), has: () => false };

/** Combines the hooks of extensions with their contexts. */
export const createHooks = <Context>(
  all: readonly { hooks: ExtensionHooks<Context>; context: Context }[],
): Hooks => ({
  async call(name, transaction, changes) {
    for (const change of changes)
      for (const { hooks, context } of all) await hooks[name]?.({ ...change, transaction }, context);
  },
  has: (name) => all.some(({ hooks }) => hooks[name] !== undefined),
});
