/** Checks typed recipients on the server after a pause in typing. */
import { checkInvitations, type RowCheck } from '@vestibule/contract/invitations/batches';
import { useEffect, useState } from 'react';
import { call } from '../../../../lib/call.ts';
import type { Entry } from '../import/typed-addresses.ts';

const pauseMilliseconds = 250;

export function useChecks(people: readonly Entry[]): {
  checks: ReadonlyMap<Entry, RowCheck>;
  /** Adds a result of another check. */
  learn: (entry: Entry, check: RowCheck) => void;
} {
  const [checks, setChecks] = useState<ReadonlyMap<Entry, RowCheck>>(new Map());
  useEffect(() => {
    if (people.length === 0) return undefined;
    const leaving = new AbortController();
    const timer = setTimeout(() => void ask(people, leaving.signal), pauseMilliseconds);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };

    async function ask(asked: readonly Entry[], signal: AbortSignal): Promise<void> {
      try {
        const body = { rows: asked.map(({ email, name }) => ({ email, name })) };
        const { rows } = await call(checkInvitations, { body, signal });
        setChecks(new Map(asked.flatMap((entry, index) => (rows[index] ? [[entry, rows[index]]] : []))));
      } catch {
        // Errors are shown when the invitation is sent.
      }
    }
  }, [people]);
  return {
    checks,
    learn: (entry, check) => setChecks((before) => new Map(before).set(entry, check)),
  };
}
