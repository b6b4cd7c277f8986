/** Checks typed recipients on the server after a pause in typing. */
import { checkInvitations, type RowCheck } from '@vestibule/contract/invitations/batches';
import { useEffect, useState } from 'react';
import { call } from '../../../../lib/call.ts';
import type { Entry } from '../import/typed-addresses.ts';

const debounceMilliseconds = 250;

export function useChecks(people: readonly Entry[]): {
  checks: ReadonlyMap<Entry, RowCheck>;
  /** Adds a result from another check, such as the check when the user sends. */
  addCheck: (entry: Entry, check: RowCheck) => void;
} {
  const [checks, setChecks] = useState<ReadonlyMap<Entry, RowCheck>>(new Map());
  useEffect(() => {
    if (people.length === 0) return undefined;
    const controller = new AbortController();
    const timer = setTimeout(() => void fetchChecks(people, controller.signal), debounceMilliseconds);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };

    async function fetchChecks(checkedPeople: readonly Entry[], signal: AbortSignal): Promise<void> {
      try {
        const body = { rows: checkedPeople.map(({ email, name }) => ({ email, name })) };
        const { rows } = await call(checkInvitations, { body, signal });
        setChecks(
          new Map(checkedPeople.flatMap((entry, index) => (rows[index] ? [[entry, rows[index]]] : []))),
        );
      } catch {
        // Errors are shown when the invitation is sent.
      }
    }
  }, [people]);
  return {
    checks,
    addCheck: (entry, check) => setChecks((previous) => new Map(previous).set(entry, check)),
  };
}
